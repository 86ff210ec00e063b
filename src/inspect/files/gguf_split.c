#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "inspect/files/formats.h"
#include "inspect/files/gguf.h"

enum { PARTS_MAX = 1024 };

struct gguf_set {
    const struct byte_opener *opener;
    const char *path;
    const struct byte_source *source; /* of `path` */
    struct model_builder *builder;
    int64_t first_missing; /* from 1 */
    struct gguf *main;     /* the first part, or what stands for it while it is missing */
    struct gguf *part;     /* the one at work */
    int64_t parts, given;  /* number of parts, and which one `path` is */
};

static bool read_part(struct gguf_set *set, const struct byte_source *source, int64_t part,
                      struct problem *problem)
{
    struct gguf *gguf = part == 0 ? set->main : set->part;
    if (!gguf_start(gguf, source, set->builder, problem) ||
        !gguf_read_keys(gguf, part == 0, problem)) {
        return false;
    }
    if (gguf->parts != set->parts || gguf->part != part) {
        return problem_set(problem, "it is not part %lld of %lld", (long long)part + 1,
                           (long long)set->parts);
    }
    return gguf_read_tensors(gguf, problem);
}

static void miss_part(struct gguf_set *set, int64_t part)
{
    if (set->builder->file->parts_missing++ == 0) {
        set->first_missing = part + 1;
    }
}

static void add_part(struct gguf_set *set, int64_t part)
{
    enum { PATH_SIZE = 4096 };
    struct model_file *file = set->builder->file;
    struct problem problem;
    char path[PATH_SIZE];
    struct byte_source source = *set->source;
    bool opens = part != set->given;
    if (opens && (!part_path(set->path, ".gguf", part, set->parts, path, sizeof path) ||
                  !set->opener->open(set->opener, path, &source, &problem))) {
        miss_part(set, part);
        return;
    }
    if (read_part(set, &source, part, &problem)) {
        file->file_bytes += source.size;
    } else {
        miss_part(set, part);
        model_builder_warn(set->builder, "part %lld: %s", (long long)part + 1, problem.text);
    }
    if (opens) {
        byte_source_close(&source);
    }
}

static void read_parts(struct gguf_set *set)
{
    struct model_builder *builder = set->builder;
    struct model_file *file = builder->file;
    uint32_t version = set->main->version;
    int64_t expected = set->main->part_tensors;
    bool swaps = set->main->stream.swaps;
    model_builder_start(builder, builder->arena, file);
    builder->keeps_names = true;
    file->version = version;
    file->big_endian = swaps;
    file->parts = set->parts;
    memset(set->main, 0, sizeof *set->main);
    set->main->builder = builder;
    set->main->file_type = -1;
    set->main->parts = set->parts;
    for (int64_t part = 0; part < set->parts; part++) {
        add_part(set, part);
    }
    if (file->parts_missing == 1) {
        model_builder_warn(builder, "part %lld of %lld is missing: the total is not known",
                           (long long)set->first_missing, (long long)set->parts);
    } else if (file->parts_missing > 1) {
        model_builder_warn(builder,
                           "%lld of %lld parts are missing, part %lld first: the total is not "
                           "known",
                           (long long)file->parts_missing, (long long)set->parts,
                           (long long)set->first_missing);
    } else if (expected >= 0 && (uint64_t)expected != file->tensor_count) {
        model_builder_warn(builder, "the parts hold %llu tensors, the first one says %lld",
                           (unsigned long long)file->tensor_count, (long long)expected);
    }
}

static bool read_set(struct gguf_set *set, struct problem *problem)
{
    struct gguf *gguf = set->main;
    struct model_file *file = set->builder->file;
    if (!gguf_start(gguf, set->source, set->builder, problem) ||
        !gguf_read_keys(gguf, true, problem)) {
        return false;
    }
    if (gguf->parts > 1 && gguf->parts <= PARTS_MAX && gguf->part >= 0 &&
        gguf->part < gguf->parts) {
        set->parts = gguf->parts;
        set->given = gguf->part;
        read_parts(set);
    } else {
        file->file_bytes = set->source->size;
        file->version = gguf->version;
        file->big_endian = gguf->stream.swaps;
        if (!gguf_read_tensors(gguf, problem)) {
            return false;
        }
    }
    return true;
}

bool gguf_read(const struct byte_opener *opener, const char *path, const struct byte_source *source,
               struct arena *arena, struct model_file *file, struct problem *problem)
{
    struct gguf_set set = {
        .opener = opener,
        .path = path,
        .source = source,
        .builder = memory_new(sizeof *set.builder),
        .main = memory_new(sizeof *set.main),
        .part = memory_new(sizeof *set.part),
    };
    model_builder_start(set.builder, arena, file);
    set.builder->keeps_names = true;
    bool read = read_set(&set, problem);
    if (read) {
        file->format = FORMAT_GGUF;
        gguf_decide_kind(set.main);
        gguf_decide_quantization(set.main);
        if (file->shape.vocabulary < 0 && set.main->vocabulary > 0 &&
            set.main->vocabulary <= INT32_MAX) {
            file->shape.vocabulary = (int64_t)set.main->vocabulary;
        }
        if (file->big_endian) {
            model_builder_warn(set.builder, "big-endian file: it runs only on such machines");
        }
        if (file->version == 1) {
            model_builder_warn(set.builder, "GGUF v1: today's runtimes refuse it");
        }
        model_builder_finish(set.builder);
    }
    free(set.builder);
    free(set.main);
    free(set.part);
    return read;
}
