/* Small file trees in a temporary folder, for tests of what reads a machine. */
#ifndef TESTS_UNIT_TREE_H
#define TESTS_UNIT_TREE_H

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TREE_PATH_SIZE = 1024 };

/* A new empty folder; its name goes into `top`. */
static inline void tree_new(char top[TREE_PATH_SIZE])
{
    const char *folder = getenv("TMPDIR");
    int length =
        snprintf(top, TREE_PATH_SIZE, "%s/gputaskman-test-XXXXXX", folder ? folder : "/tmp");
    if (length >= TREE_PATH_SIZE || !mkdtemp(top))
        abort();
}

/* "TOP/path" with its parent folders made. */
static inline void tree_place(const char *top, const char *path, char full[TREE_PATH_SIZE])
{
    if (snprintf(full, TREE_PATH_SIZE, "%s/%s", top, path) >= TREE_PATH_SIZE)
        abort();
    for (char *at = full + strlen(top) + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        mkdir(full, 0755);
        *at = '/';
    }
}

static inline void tree_write_bytes(const char *top, const char *path, const char *bytes,
                                    size_t length)
{
    char full[TREE_PATH_SIZE];
    tree_place(top, path, full);
    unlink(full);
    FILE *file = fopen(full, "wb");
    if (!file || fwrite(bytes, 1, length, file) != length || fclose(file) != 0)
        abort();
}

static inline void tree_write(const char *top, const char *path, const char *text)
{
    tree_write_bytes(top, path, text, strlen(text));
}

static inline void tree_link(const char *top, const char *path, const char *target)
{
    char full[TREE_PATH_SIZE];
    tree_place(top, path, full);
    unlink(full);
    if (symlink(target, full) != 0)
        abort();
}

static inline void tree_folder(const char *top, const char *path)
{
    char full[TREE_PATH_SIZE];
    tree_place(top, path, full);
    mkdir(full, 0755);
}

static inline void tree_remove(const char *full)
{
    struct stat about;
    if (lstat(full, &about) == 0 && S_ISDIR(about.st_mode)) {
        DIR *folder = opendir(full);
        for (const struct dirent *entry; folder && (entry = readdir(folder));) {
            char below[TREE_PATH_SIZE * 2];
            if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
                continue;
            if (snprintf(below, sizeof below, "%s/%s", full, entry->d_name) >= (int)sizeof below)
                abort();
            tree_remove(below);
        }
        if (folder)
            closedir(folder);
        rmdir(full);
    } else {
        unlink(full);
    }
}

#endif
