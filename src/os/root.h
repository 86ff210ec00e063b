/* A file tree that stands for "/" of a Linux machine: the real one or a recorded one. Every file of
 * /proc, /sys, /dev, /usr/share and home is opened relative to it. Paths have no leading slash.
 *
 * Reads are bounded and never follow the content's idea of its own size: kernel files lie about it.
 */
#ifndef OS_ROOT_H
#define OS_ROOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct arena;

enum root_result {
    ROOT_OK,
    ROOT_ABSENT,    /* ENOENT, ENOTDIR, ESRCH, ENODEV, ENXIO: not there (any more) */
    ROOT_DENIED,    /* EACCES, EPERM */
    ROOT_TRUNCATED, /* larger than the buffer; the buffer is full */
    ROOT_FAILED,    /* anything else; root_error() has errno */
};

struct root;

/* Opens the tree. `path` "/" for the real machine. */
struct root *root_open(const char *path);
void root_close(struct root **root);
/* The descriptor of the tree's top, for doors. */
int root_descriptor(const struct root *root);
/* True for a recorded tree, whose device nodes are not real. */
bool root_is_recorded(const struct root *root);
/* Recorded machines: from now on the tree is that at `path`. No reader may be at work. False leaves
 * the old one. */
bool root_move(struct root *root, const char *path);
/* Grows with every root_move(): whoever keeps descriptors of the tree opens them anew. */
uint64_t root_generation(const struct root *root);
/* For doors: opens a file or folder of the tree with open(2)'s flags (O_CLOEXEC is added). A
 * descriptor the caller closes, or -1 with errno in *error (may be NULL). */
int root_open_descriptor(const struct root *root, const char *path, int flags, int *error);
/* What an errno means here. */
enum root_result root_result_of(int error);

/* Reads the whole of a file into `buffer`; *length says how many bytes. Opens with O_CLOEXEC |
 * O_NOCTTY | O_NONBLOCK and refuses anything but regular files on a recorded tree. *error (may be
 * NULL) receives errno of a failure. */
enum root_result root_read(const struct root *root, const char *path, char *buffer, size_t size,
                           size_t *length, int *error);
/* The same into the arena, up to `limit` bytes. */
enum root_result root_read_arena(const struct root *root, struct arena *arena, const char *path,
                                 size_t limit, struct raw_text *content, int *error);
/* Gives every line (without its end) to `each` until it returns false; reads at most `limit` bytes,
 * so that endless files end. A line longer than 8 KiB is given in pieces. For files too large to
 * keep: maps, mountinfo. ROOT_TRUNCATED when the limit ended it. */
enum root_result root_each_line(const struct root *root, const char *path, size_t limit,
                                bool (*each)(struct raw_text line, void *context), void *context,
                                int *error);
/* One decimal (or 0x hexadecimal) number, surrounding white space allowed. A file that holds
 * anything else is ROOT_FAILED. */
enum root_result root_read_i64(const struct root *root, const char *path, int64_t *value,
                               int *error);
enum root_result root_read_hex(const struct root *root, const char *path, uint64_t *value,
                               int *error);

/* The text of a symbolic link, NUL-terminated. */
enum root_result root_read_link(const struct root *root, const char *path, char *buffer,
                                size_t size, size_t *length);
/* The names in a folder, sorted by byte order, without "." and "..", at most `limit`. */
enum root_result root_list(const struct root *root, struct arena *arena, const char *path,
                           size_t limit, char ***names, size_t *count);
bool root_exists(const struct root *root, const char *path);
/* When the file was last changed: nanoseconds of the wall clock. Tells whether a file kept in
 * memory must be read again. False when it is not there. */
bool root_modified_ns(const struct root *root, const char *path, int64_t *modified_ns);
/* Which file a path leads to, links followed. */
struct root_file_facts {
    uint64_t device; /* major << 32 | minor, as in /proc/PID/maps */
    uint64_t inode;
    int64_t size_bytes, modified_ns;
    bool regular, directory;
};
bool root_file_facts(const struct root *root, const char *path, struct root_file_facts *facts);
/* The canonical path of `path` inside the tree, links resolved, without leading slash:
 * "sys/devices/pci0000:00/...". Bounded; false when it does not exist or leaves the tree. */
bool root_resolve(const struct root *root, const char *path, char *buffer, size_t size);

#endif
