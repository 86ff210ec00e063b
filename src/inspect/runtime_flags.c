#include "inspect/runtime_flags.h"

#include <stddef.h>
#include <string.h>

#include "base/lines.h"
#include "base/number.h"
#include "inspect/runtime_flag_table.h"
#include "inspect/runtime_values.h"

static void *member_of(struct runtime_flags *flags, const struct flag *flag)
{
    return (char *)flags + flag->offset;
}

static bool set_count(int64_t *member, struct raw_text value, int64_t most)
{
    int64_t number;
    if (!number_parse_i64(value, &number, NULL) || number < 0 || number > most) {
        return false;
    }
    *member = number;
    return true;
}

static bool set_number(struct runtime_flags *flags, const struct flag *flag, struct raw_text value)
{
    enum { PORT_MAX = 65535, MEBIBYTES_MAX = 1 << 30, MEBIBYTE = 1 << 20 };
    int64_t *member = member_of(flags, flag);
    struct raw_text first, rest;
    switch (flag->kind) {
    case KIND_SLOTS:
        if (raw_equal_string(value, "-1")) {
            *member = 0;
            return true;
        }
        return set_count(member, value, 1 << 16) && *member > 0;
    case KIND_PORT:
        flags->port_given = set_count(member, value, PORT_MAX);
        return flags->port_given;
    case KIND_MEBIBYTES: /* one a device; the first stands for all */
        if (!set_count(member, raw_split(value, ',', &first, &rest) ? first : value,
                       MEBIBYTES_MAX)) {
            return false;
        }
        *member *= MEBIBYTE;
        return true;
    default:
        return set_count(member, value, INT32_MAX);
    }
}

static bool set_context(struct load_flags *load, struct raw_text value)
{
    if (!set_count(&load->context, value, INT32_MAX)) {
        return false;
    }
    load->context_given = load->context > 0;
    return true;
}

static bool add_lora(struct runtime_flags *flags, struct raw_text value)
{
    struct raw_text path;
    while (fields_next(&value, ',', &path)) {
        if (flags->lora_count == RUNTIME_LORAS_MAX) {
            return false;
        }
        flags->loras[flags->lora_count++] = path;
    }
    return true;
}

static bool set_value(struct runtime_flags *flags, const struct flag *flag, struct raw_text value)
{
    void *member = member_of(flags, flag);
    switch (flag->kind) {
    case KIND_TEXT:
        *(struct raw_text *)member = value;
        return value.length > 0;
    case KIND_CONTEXT:
        return set_context(member, value);
    case KIND_GPU_LAYERS:
        return runtime_value_gpu_layers(value, member);
    case KIND_CACHE:
        return runtime_value_cache(value, member);
    case KIND_CACHES:
        ((struct load_flags *)member)->cache_v = CACHE_F16;
        return runtime_value_cache(value, &((struct load_flags *)member)->cache_k) &&
               runtime_value_cache(value, &((struct load_flags *)member)->cache_v);
    case KIND_DEVICES:
        return runtime_value_devices(value, member);
    case KIND_OVERRIDES:
        return runtime_value_overrides(value, member);
    case KIND_SPLITS:
        return runtime_value_splits(value, flags->tensor_split, &flags->tensor_split_count);
    case KIND_SPLIT_MODE:
        return runtime_value_split_mode(value, member);
    case KIND_LOAD_MODE:
        return runtime_value_load_mode(value, member);
    case KIND_LORA:
    case KIND_LORA_SCALED:
        return add_lora(flags, value);
    case KIND_SECRET:
        *(bool *)member = true;
        return true;
    case KIND_IGNORED_VALUE:
    case KIND_IGNORED_TWO:
        return true;
    default:
        return set_number(flags, flag, value);
    }
}

static void set_bare(struct runtime_flags *flags, const struct flag *flag)
{
    void *member = member_of(flags, flag);
    switch (flag->kind) {
    case KIND_SET:
    case KIND_CLEAR:
        *(bool *)member = flag->kind == KIND_SET;
        break;
    case KIND_WISH:
    case KIND_WISH_TRUE:
        *(enum wish *)member = WISH_ON;
        break;
    case KIND_WISH_FALSE:
        *(enum wish *)member = WISH_OFF;
        break;
    case KIND_MMAP:
        *(enum load_mode *)member = LOAD_MMAP;
        break;
    case KIND_NO_MMAP:
        *(enum load_mode *)member = LOAD_NONE;
        break;
    case KIND_MLOCK:
        *(enum load_mode *)member = LOAD_MLOCK;
        break;
    default:
        break;
    }
}

/* The arguments while they are walked. */
struct walk {
    const struct raw_text *argv;
    size_t count, at;
    struct raw_text spelling, value; /* of the flag at work; value.bytes NULL: none */
    const struct flag *flag;         /* NULL: unknown */
};

static bool is_wish(struct raw_text value)
{
    enum wish wish;
    return runtime_value_wish(value, &wish);
}

/* Takes the next flag and its value off the arguments; false at the end. */
static bool walk_next(struct walk *walk)
{
    if (walk->at == walk->count) {
        return false;
    }
    struct raw_text argument = walk->argv[walk->at++], name, value;
    walk->spelling = argument;
    walk->value = (struct raw_text){NULL, 0};
    walk->flag = flag_find(argument);
    if (!walk->flag && raw_starts_with(argument, "--") && raw_split(argument, '=', &name, &value)) {
        walk->spelling = name;
        walk->flag = flag_find(name);
        walk->value = value;
        return true;
    }
    bool more = walk->at < walk->count;
    if (walk->flag && more &&
        (flag_takes_value(walk->flag->kind) ||
         (walk->flag->kind == KIND_WISH && is_wish(walk->argv[walk->at])))) {
        walk->value = walk->argv[walk->at++];
    }
    if (walk->flag && walk->flag->kind == KIND_IGNORED_TWO && walk->at < walk->count) {
        walk->at++;
    }
    /* "--lora-scaled FILE SCALE", as it was before FILE:SCALE. */
    double scale;
    if (walk->flag && walk->flag->kind == KIND_LORA_SCALED && walk->at < walk->count &&
        runtime_value_real(walk->argv[walk->at], &scale)) {
        walk->at++;
    }
    return true;
}

static bool refuse(struct problem *problem, struct raw_text spelling, const char *why)
{
    return problem_set(problem, "llama.cpp refuses %.*s: %s",
                       (int)(spelling.length < 80 ? spelling.length : 80), spelling.bytes, why);
}

static bool apply(struct runtime_flags *flags, const struct walk *walk, struct problem *problem)
{
    const struct flag *flag = walk->flag;
    if (!flag) {
        return refuse(problem, walk->spelling, "unknown argument");
    }
    if (!walk->value.bytes) {
        if (flag_takes_value(flag->kind)) {
            return refuse(problem, walk->spelling, "it needs a value");
        }
        set_bare(flags, flag);
        return true;
    }
    bool set = flag->kind == KIND_WISH ? runtime_value_wish(walk->value, member_of(flags, flag))
               : flag_takes_value(flag->kind) ? set_value(flags, flag, walk->value)
                                              : false;
    return set || refuse(problem, walk->spelling, "its value is not valid");
}

static bool apply_twin(struct runtime_flags *flags, const struct flag *flag, struct raw_text value)
{
    enum wish wish;
    if (flag_takes_value(flag->kind)) {
        return set_value(flags, flag, value);
    }
    if (flag->kind == KIND_WISH) {
        return runtime_value_wish(value, member_of(flags, flag));
    }
    /* "0" is the opposite where there is one, else as if it were not there; so it is for the
     * LLAMA_ARG_NO_... of before. */
    bool off = runtime_value_wish(value, &wish) && wish == WISH_OFF;
    bool negative = strncmp(flag->twin, "LLAMA_ARG_NO_", 13) == 0;
    const struct flag *meant = !off ? flag : negative ? NULL : flag_opposite(flag);
    if (meant) {
        set_bare(flags, meant);
    }
    return true;
}

static void apply_environment(struct runtime_flags *flags, struct raw_text environment)
{
    struct raw_text word, name, value;
    while (fields_next(&environment, '\0', &word)) {
        if (!raw_starts_with(word, "LLAMA_") || !raw_split(word, '=', &name, &value)) {
            continue;
        }
        const struct flag *flag = flag_of_twin(name);
        if (flag) {
            apply_twin(flags, flag, value);
        }
    }
}

/* What llama.cpp refuses whatever the model is. */
static bool check(const struct runtime_flags *flags, struct problem *problem)
{
    enum { SEQUENCES_MAX = 256 };
    bool quantized = cache_type_block(flags->model.cache_v) > 1;
    if (quantized && flags->flash_attention == WISH_OFF) {
        return problem_set(problem,
                           "llama.cpp refuses a quantized V cache without flash attention");
    }
    if (flags->slots > SEQUENCES_MAX) {
        return problem_set(problem, "llama.cpp refuses -np %lld: it has %d sequences at most",
                           (long long)flags->slots, SEQUENCES_MAX);
    }
    if (flags->batch == 0) {
        return problem_set(problem, "llama.cpp refuses a batch of 0");
    }
    return true;
}

static struct runtime_flags defaults(void)
{
    enum {
        BATCH = 2048,
        UBATCH = 512,
        PORT = 8080,
        FIT_CONTEXT = 4096,
        GIBIBYTE = 1 << 30,
        DRAFT = 3
    };
    return (struct runtime_flags){.mmproj_offload = true,
                                  .batch = BATCH,
                                  .ubatch = UBATCH,
                                  .port = PORT,
                                  .fit_context = FIT_CONTEXT,
                                  .draft_max = DRAFT,
                                  .fit_target_bytes = GIBIBYTE,
                                  .log_verbosity = -1};
}

bool runtime_flags_parse(const struct raw_text *argv, size_t count, struct raw_text environment,
                         bool strict, struct runtime_flags *flags, struct problem *problem)
{
    struct walk walk = {.argv = argv,
                        .count = count < RUNTIME_ARGUMENTS_MAX ? count : RUNTIME_ARGUMENTS_MAX};
    *flags = defaults();
    if (environment.bytes) {
        apply_environment(flags, environment);
    }
    while (walk_next(&walk)) {
        if (!apply(flags, &walk, strict ? problem : NULL) && strict) {
            return false;
        }
    }
    return !strict || check(flags, problem);
}

static struct raw_text first_key(struct raw_text keys)
{
    struct raw_text key;
    return fields_next(&keys, ',', &key) ? key : (struct raw_text){NULL, 0};
}

struct raw_text runtime_flags_api_key(const struct raw_text *argv, size_t count,
                                      struct raw_text environment)
{
    struct raw_text key = {NULL, 0}, word, name, value;
    struct walk walk = {.argv = argv,
                        .count = count < RUNTIME_ARGUMENTS_MAX ? count : RUNTIME_ARGUMENTS_MAX};
    while (environment.bytes && fields_next(&environment, '\0', &word)) {
        if (raw_split(word, '=', &name, &value) && raw_equal_string(name, "LLAMA_API_KEY")) {
            key = first_key(value);
        }
    }
    while (walk_next(&walk)) {
        if (walk.value.bytes && walk.flag && flag_is_spelled(walk.spelling, "--api-key")) {
            key = first_key(walk.value);
        }
    }
    return key;
}
