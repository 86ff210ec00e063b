#include "gpu/drm/intel_gt.h"

#include <stdio.h>
#include <string.h>

#include "base/lines.h"

enum { TILES_MAX = 4, TILE_GTS_MAX = 4, THROTTLE_FILES_MAX = 256, AWAKE_FULL = 100000 };

static bool has_file(const struct drm_look *look, const char *folder, const char *file)
{
    char path[SYSFS_PATH_SIZE];
    return sysfs_path(path, folder, file) && root_exists(look->root, path);
}

static bool has_folder(const struct drm_look *look, const char *folder)
{
    return root_exists(look->root, folder);
}

/* Appends a GT; its earlier samples stay where it was known before. */
static void add(struct intel_gts *gts, const struct intel_gts *before, struct intel_gt gt)
{
    if (gts->count == INTEL_GTS_MAX) {
        return;
    }
    for (size_t i = 0; i < before->count; i++) {
        if (strcmp(before->items[i].idle_folder, gt.idle_folder) == 0) {
            gt.idle_known = before->items[i].idle_known;
            gt.idle_moves = before->items[i].idle_moves;
            gt.idle_ms = before->items[i].idle_ms;
            gt.idle_at_ns = before->items[i].idle_at_ns;
        }
    }
    gts->items[gts->count++] = gt;
}

static void raise_maximum(const struct drm_look *look, struct drm_adapter *adapter,
                          const struct intel_gt *gt, const char *file)
{
    struct sysfs_folder clock = {.root = look->root, .path = gt->clock_folder};
    struct said *most = &adapter->max_clock_hz[gt->is_media ? CLOCK_VIDEO : CLOCK_GRAPHICS];
    struct said maximum = sysfs_frequency(sysfs_number(&clock, file), 1000000);
    if (most->how == HOW_UNAVAILABLE ||
        (maximum.how != HOW_UNAVAILABLE && maximum.value > most->value)) {
        *most = maximum;
    }
}

static void forget_maximum(struct drm_adapter *adapter)
{
    adapter->max_clock_hz[CLOCK_GRAPHICS] = said_unknown(REASON_not_reported);
    adapter->max_clock_hz[CLOCK_VIDEO] = said_unknown(REASON_not_reported);
}

static bool card_folder(const struct drm_adapter *adapter, char out[SYSFS_PATH_SIZE])
{
    char file[DRM_NAME_SIZE + 8];
    for (size_t i = 0; i < adapter->node_count; i++) {
        if (adapter->nodes[i].primary) {
            snprintf(file, sizeof file, "drm/%s", adapter->nodes[i].name);
            return sysfs_path(out, adapter->folder, file);
        }
    }
    return false;
}

/* gtN has its own files since 5.18; those of the card are gt0's. */
static bool find_i915_gt(const struct drm_look *look, const char *card, int number,
                         struct intel_gt *gt)
{
    char name[16];
    snprintf(name, sizeof name, "gt/gt%d", number);
    if (!sysfs_path(gt->throttle_folder, card, name)) {
        return false;
    }
    const char *folder = gt->throttle_folder;
    if (number > 0 && !has_folder(look, folder)) {
        return false;
    }
    bool own_clock = has_file(look, folder, "rps_act_freq_mhz");
    snprintf(gt->clock_folder, SYSFS_PATH_SIZE, "%s", own_clock ? folder : card);
    gt->clock_file = own_clock ? "rps_act_freq_mhz" : number == 0 ? "gt_act_freq_mhz" : NULL;
    bool own_idle = has_file(look, folder, "rc6_residency_ms");
    snprintf(gt->idle_folder, SYSFS_PATH_SIZE, "%s", own_idle ? folder : card);
    bool card_idle = number == 0 && has_file(look, card, "power/rc6_residency_ms");
    gt->idle_file = own_idle ? "rc6_residency_ms" : card_idle ? "power/rc6_residency_ms" : NULL;
    gt->has_throttle = has_file(look, folder, "throttle_reason_status");
    return true;
}

void intel_gts_discover_i915(const struct drm_look *look, struct drm_adapter *adapter,
                             struct intel_gts *gts)
{
    char card[SYSFS_PATH_SIZE];
    struct intel_gts before = *gts;
    *gts = (struct intel_gts){.throttle_status = "throttle_reason_status",
                              .throttle_prefix = "throttle_reason_"};
    forget_maximum(adapter);
    if (!card_folder(adapter, card)) {
        return;
    }
    for (int number = 0; number < INTEL_GTS_MAX; number++) {
        /* The second GT of an integrated GPU is the media GT, that of a card another tile. */
        struct intel_gt gt = {.is_media = number > 0 && adapter->unified};
        if (!find_i915_gt(look, card, number, &gt)) {
            break;
        }
        bool own = gt.clock_file != NULL && strcmp(gt.clock_file, "rps_act_freq_mhz") == 0;
        raise_maximum(look, adapter, &gt, own ? "rps_max_freq_mhz" : "gt_max_freq_mhz");
        add(gts, &before, gt);
    }
}

/* The name of its idle states ends in -rc (render, compute) or -mc (media). */
static bool is_media_gt(const struct drm_look *look, const char *idle_folder, bool is_first)
{
    char buffer[32];
    struct sysfs_folder idle = {.root = look->root, .path = idle_folder};
    struct raw_text name = sysfs_text(&idle, "name", buffer, sizeof buffer, NULL);
    if (name.bytes == NULL || name.length < 3) {
        return !is_first;
    }
    return memcmp(name.bytes + name.length - 3, "-mc", 3) == 0;
}

static void find_xe_gt(const struct drm_look *look, const char *folder, bool is_first,
                       struct intel_gt *gt)
{
    if (sysfs_path(gt->clock_folder, folder, "freq0") &&
        sysfs_path(gt->throttle_folder, folder, "freq0/throttle") &&
        sysfs_path(gt->idle_folder, folder, "gtidle")) {
        gt->clock_file = "act_freq";
        gt->idle_file = "idle_residency_ms";
        gt->has_throttle = has_file(look, gt->throttle_folder, "status");
        gt->has_throttle_text = has_file(look, gt->throttle_folder, "reasons");
        gt->is_media = is_media_gt(look, gt->idle_folder, is_first);
    }
}

void intel_gts_discover_xe(const struct drm_look *look, struct drm_adapter *adapter,
                           struct intel_gts *gts)
{
    struct intel_gts before = *gts;
    *gts = (struct intel_gts){.throttle_status = "status", .throttle_prefix = "reason_"};
    forget_maximum(adapter);
    for (int tile = 0; tile < TILES_MAX; tile++) {
        char name[32], tile_folder[SYSFS_PATH_SIZE], folder[SYSFS_PATH_SIZE];
        bool is_first = true;
        snprintf(name, sizeof name, "tile%d", tile);
        if (!sysfs_path(tile_folder, adapter->folder, name) || !has_folder(look, tile_folder)) {
            break;
        }
        /* GTs are numbered over all tiles. */
        for (int number = 0; number < TILES_MAX * TILE_GTS_MAX; number++) {
            struct intel_gt gt = {0};
            snprintf(name, sizeof name, "gt%d", number);
            if (!sysfs_path(folder, tile_folder, name) || !has_folder(look, folder)) {
                continue;
            }
            find_xe_gt(look, folder, is_first, &gt);
            is_first = false;
            raise_maximum(look, adapter, &gt, "max_freq");
            add(gts, &before, gt);
        }
    }
}

static void add_reason(const struct drm_look *look, const char *name, size_t length,
                       struct adapter_reading *out)
{
    if (length == 0 || out->throttle_count == THROTTLE_REASONS_MAX) {
        return;
    }
    for (size_t i = 0; i < out->throttle_count; i++) {
        const struct raw_text *known = &out->throttle_reasons[i];
        if (known->length == length && memcmp(known->bytes, name, length) == 0) {
            return;
        }
    }
    out->throttle_reasons[out->throttle_count++] =
        (struct raw_text){arena_string(look->arena, name, length), length};
}

/* "none", or the reasons in one line. */
static void take_reasons_text(const struct drm_look *look, const struct sysfs_folder *files,
                              struct adapter_reading *out)
{
    char buffer[SYSFS_TEXT_SIZE];
    struct raw_text rest = sysfs_text(files, "reasons", buffer, sizeof buffer, NULL);
    struct raw_text line, word;
    while (rest.bytes != NULL && lines_next(&rest, &line)) {
        while (words_next(&line, &word)) {
            if (!raw_equal_string(word, "none")) {
                add_reason(look, word.bytes, word.length, out);
            }
        }
    }
}

/* The reasons whose file reads 1: PREFIXpl1 becomes "pl1". */
static void take_reason_files(const struct drm_look *look, const struct intel_gts *gts,
                              const struct sysfs_folder *files, struct adapter_reading *out)
{
    char **names = NULL;
    size_t count = 0, skip = strlen(gts->throttle_prefix);
    if (root_list(look->root, look->scratch, files->path, THROTTLE_FILES_MAX, &names, &count) !=
        ROOT_OK) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (strncmp(names[i], gts->throttle_prefix, skip) != 0 ||
            strcmp(names[i], gts->throttle_status) == 0) {
            continue;
        }
        struct measured set = sysfs_number(files, names[i]);
        if (set.known && set.value != 0) {
            add_reason(look, names[i] + skip, strlen(names[i]) - skip, out);
        }
    }
}

static void read_throttle(const struct drm_look *look, const struct intel_gts *gts,
                          const struct intel_gt *gt, struct adapter_reading *out)
{
    struct sysfs_folder files = {
        .root = look->root, .path = gt->throttle_folder, .files = look->files};
    if (!gt->has_throttle) {
        return;
    }
    struct measured any = sysfs_number(&files, gts->throttle_status);
    if (!any.known) {
        if (out->throttle_how == HOW_UNAVAILABLE) {
            out->throttle_why_not = any.why_not;
        }
        return;
    }
    out->throttle_how = HOW_MEASURED;
    if (any.value != 0 && gt->has_throttle_text) {
        take_reasons_text(look, &files, out);
    }
    if (any.value != 0) {
        take_reason_files(look, gts, &files, out);
    }
}

static void read_clock(const struct drm_look *look, const struct intel_gt *gt,
                       struct adapter_reading *out)
{
    struct said *clock = &out->clock_hz[gt->is_media ? CLOCK_VIDEO : CLOCK_GRAPHICS];
    if (gt->clock_file == NULL) {
        return;
    }
    struct sysfs_folder folder = {
        .root = look->root, .path = gt->clock_folder, .files = look->files};
    struct said now = sysfs_frequency(sysfs_number(&folder, gt->clock_file), 1000000);
    if (clock->how == HOW_UNAVAILABLE || (now.how != HOW_UNAVAILABLE && now.value > clock->value)) {
        *clock = now;
    }
}

void intel_gts_read(const struct drm_look *look, const struct intel_gts *gts,
                    struct adapter_reading *out)
{
    for (size_t i = 0; i < gts->count; i++) {
        read_clock(look, &gts->items[i], out);
        read_throttle(look, gts, &gts->items[i], out);
    }
}

/* Of one GT; unknown where nothing is bounded. */
static struct said awake_of(const struct drm_look *look, struct intel_gt *gt)
{
    struct sysfs_folder folder = {
        .root = look->root, .path = gt->idle_folder, .files = look->files};
    struct measured idle = sysfs_number(&folder, gt->idle_file);
    bool known = gt->idle_known;
    double slept_ms = (double)idle.value - (double)gt->idle_ms;
    double elapsed_ms = (double)(look->now_ns - gt->idle_at_ns) / 1e6;
    gt->idle_known = idle.known;
    gt->idle_ms = idle.value;
    gt->idle_at_ns = look->now_ns;
    if (!idle.known) {
        return said_unknown(idle.why_not);
    }
    /* One that stands still is awake all the time, or a counter that nobody counts. */
    gt->idle_moves = gt->idle_moves || (known && slept_ms > 0);
    if (!known || elapsed_ms <= 0 || (slept_ms == 0 && !gt->idle_moves)) {
        return said_unknown(REASON_need_two_samples);
    }
    if (slept_ms < 0) {
        return said_unknown(REASON_counter_not_monotonic);
    }
    double awake = AWAKE_FULL - slept_ms / elapsed_ms * AWAKE_FULL;
    return said_value(awake > 0 ? (int64_t)(awake + 0.5) : 0, HOW_ESTIMATED);
}

struct said intel_gts_awake_millipercent(const struct drm_look *look, struct intel_gts *gts)
{
    struct said most = said_unknown(REASON_not_reported);
    for (size_t i = 0; i < gts->count; i++) {
        if (gts->items[i].is_media || gts->items[i].idle_file == NULL) {
            continue;
        }
        struct said awake = awake_of(look, &gts->items[i]);
        if (most.how == HOW_UNAVAILABLE ||
            (awake.how != HOW_UNAVAILABLE && awake.value > most.value)) {
            most = awake;
        }
    }
    return most;
}
