#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/map.h"
#include "gpu/drm/sysfs.h"
#include "os/kept_file.h"

/* Far below the usual limit of 1024 descriptors; beyond it files are opened for each read. */
enum { FILES_MAX = 256 };

struct sysfs_files {
    struct map *by_path; /* char[SYSFS_PATH_SIZE] -> struct kept_file */
    bool lost;
};

struct sysfs_files *sysfs_files_new(void)
{
    struct sysfs_files *files = memory_new(sizeof *files);
    files->by_path = map_new(SYSFS_PATH_SIZE, sizeof(struct kept_file));
    return files;
}

void sysfs_files_clear(struct sysfs_files *files)
{
    size_t at = 0;
    const void *key;
    void *value;
    while (map_next(files->by_path, &at, &key, &value)) {
        kept_file_close(value);
    }
    map_clear(files->by_path);
}

void sysfs_files_free(struct sysfs_files **files)
{
    if (*files != NULL) {
        sysfs_files_clear(*files);
        map_free(&(*files)->by_path);
        free(*files);
        *files = NULL;
    }
}

bool sysfs_files_take_lost(struct sysfs_files *files)
{
    bool lost = files->lost;
    files->lost = false;
    return lost;
}

/* The place of a path, or NULL when no more are kept. */
static struct kept_file *place_of(struct sysfs_files *files, const char *path)
{
    char key[SYSFS_PATH_SIZE] = "";
    size_t size = strlen(path) + 1;
    if (size > sizeof key) {
        return NULL;
    }
    memcpy(key, path, size);
    struct kept_file *file = map_get(files->by_path, key);
    if (file == NULL && map_count(files->by_path) < FILES_MAX) {
        file = map_put(files->by_path, key, NULL);
    }
    return file;
}

enum root_result sysfs_read(const struct sysfs_folder *folder, const char *file, char *buffer,
                            size_t size, size_t *length, int *error)
{
    char path[SYSFS_PATH_SIZE];
    *length = 0;
    if (!sysfs_path(path, folder->path, file)) {
        return ROOT_ABSENT;
    }
    struct kept_file *kept = folder->files == NULL ? NULL : place_of(folder->files, path);
    if (kept == NULL) {
        return root_read(folder->root, path, buffer, size, length, error);
    }
    return kept_file_read(kept, folder->root, path, buffer, size, length, error,
                          &folder->files->lost);
}
