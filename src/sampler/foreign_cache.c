#include "sampler/foreign_cache.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/file.h"

enum { PATH_SIZE = 4096, BOOT_ID_SIZE = 64, FILE_LIMIT = 64 * 1024, FORMAT = 1 };

struct foreign_cache {
    char folder[PATH_SIZE]; /* "": none */
    char path[PATH_SIZE];
    char boot_id[BOOT_ID_SIZE];
    struct foreign_sizes saved;
    bool is_valid; /* the file holds `saved` for this boot */
};

struct foreign_cache *foreign_cache_new(bool recorded)
{
    struct foreign_cache *cache = memory_new(sizeof *cache);
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = 0;
    if (xdg && xdg[0] == '/')
        length = snprintf(cache->folder, PATH_SIZE, "%s/gputaskman", xdg);
    else if (!recorded && home && home[0] == '/')
        length = snprintf(cache->folder, PATH_SIZE, "%s/.cache/gputaskman", home);
    if (length < 0 || length >= PATH_SIZE)
        cache->folder[0] = '\0';
    length = snprintf(cache->path, PATH_SIZE, "%s/wsl-foreign.json", cache->folder);
    if (length < 0 || length >= PATH_SIZE)
        cache->folder[0] = '\0';
    return cache;
}

void foreign_cache_free(struct foreign_cache **cache)
{
    free(*cache);
    *cache = NULL;
}

static bool take_sizes(const json_t *object, const char *boot_id, struct foreign_sizes *sizes)
{
    const json_t *format = json_object_get(object, "format");
    const json_t *boot = json_object_get(object, "boot_id");
    const json_t *list = json_object_get(object, "foreign_sizes");
    if ((format && (!json_is_integer(format) || json_integer_value(format) != FORMAT)) ||
        !json_is_string(boot) || strcmp(json_string_value(boot), boot_id) != 0 ||
        !json_is_array(list))
        return false;
    for (size_t i = 0; i < json_array_size(list) && sizes->count < FOREIGN_SIZES_MAX; i++) {
        const json_t *size = json_array_get(list, i);
        int64_t bytes = json_integer_value(size);
        if (json_is_integer(size) && bytes > 0 && !foreign_has(sizes, bytes))
            sizes->bytes[sizes->count++] = bytes;
    }
    return true;
}

bool foreign_cache_parse(struct raw_text content, const char *boot_id, struct foreign_sizes *sizes)
{
    *sizes = (struct foreign_sizes){.count = 0};
    if (content.length == 0)
        return false;
    json_t *object = json_loadb(content.bytes, content.length, 0, NULL);
    bool taken = take_sizes(object, boot_id, sizes);
    json_decref(object);
    return taken;
}

void foreign_cache_load(struct foreign_cache *cache, struct raw_text boot_id,
                        struct foreign_sizes *sizes)
{
    char *bytes = NULL;
    size_t size = 0;
    struct problem problem;
    *sizes = (struct foreign_sizes){.count = 0};
    if (!boot_id.bytes || boot_id.length >= BOOT_ID_SIZE)
        return;
    memcpy(cache->boot_id, boot_id.bytes, boot_id.length);
    if (!cache->folder[0] || !file_read_private(cache->path, FILE_LIMIT, &bytes, &size, &problem))
        return;
    cache->is_valid = foreign_cache_parse((struct raw_text){bytes, size}, cache->boot_id, sizes);
    cache->saved = *sizes;
    free(bytes);
}

static bool is_plain(const char *text)
{
    return strspn(text, "0123456789abcdefABCDEF-") == strlen(text);
}

static bool same_sizes(const struct foreign_sizes *a, const struct foreign_sizes *b)
{
    for (size_t i = 0; i < a->count; i++)
        if (!foreign_has(b, a->bytes[i]))
            return false;
    return a->count == b->count;
}

void foreign_cache_save(struct foreign_cache *cache, const struct foreign_sizes *sizes)
{
    char text[BOOT_ID_SIZE + 128 + FOREIGN_SIZES_MAX * 24];
    struct problem problem;
    if (!cache->folder[0] || !cache->boot_id[0] || !is_plain(cache->boot_id) ||
        (cache->is_valid && same_sizes(&cache->saved, sizes)))
        return;
    int length =
        snprintf(text, sizeof text, "{\"format\": %d, \"boot_id\": \"%s\", \"foreign_sizes\": [",
                 FORMAT, cache->boot_id);
    for (size_t i = 0; i < sizes->count; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s%" PRId64,
                           i > 0 ? ", " : "", sizes->bytes[i]);
    length += snprintf(text + length, sizeof text - (size_t)length, "]}\n");
    cache->saved = *sizes;
    cache->is_valid = true; /* a disk that refuses is not asked again and again */
    if (file_make_folder(cache->folder, &problem))
        file_write_private(cache->path, (struct raw_text){text, (size_t)length}, &problem);
}
