#include "os/append.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fatal.h"
#include "os/append_tail.h"
#include "os/windows/wide.h"

struct append {
    int descriptor;
    bool is_file;
    int64_t cut_bytes;
};

static bool read_at(void *context, int64_t at, char *bytes, size_t size)
{
    const int *descriptor = context;
    if (_lseeki64(*descriptor, at, SEEK_SET) != at) {
        return false;
    }
    while (size > 0) {
        int got = _read(*descriptor, bytes, (unsigned)size);
        if (got <= 0) {
            return false;
        }
        bytes += got;
        size -= (size_t)got;
    }
    return true;
}

static bool write_all(int descriptor, const char *bytes, size_t size)
{
    while (size > 0) {
        unsigned chunk = size > 1 << 20 ? 1 << 20 : (unsigned)size;
        int count = _write(descriptor, bytes, chunk);
        if (count <= 0) {
            return false;
        }
        bytes += count;
        size -= (size_t)count;
    }
    return true;
}

/* False when the file ends within something that is not ours. */
static bool mend_tail(struct append *append, const struct append_format *format)
{
    struct append_reader reader = {.read = read_at, .context = &append->descriptor};
    struct append_mending mending = {0, "", 0};
    int64_t size = _lseeki64(append->descriptor, 0, SEEK_END);
    if (size <= 0) {
        return true;
    }
    enum append_tail tail = format->look(format, &reader, size, &mending);
    if (tail == APPEND_TAIL_TORN && _chsize_s(append->descriptor, mending.end) == 0 &&
        write_all(append->descriptor, mending.closing, mending.closing_size)) {
        append->cut_bytes = size - mending.end;
        return true;
    }
    return tail == APPEND_TAIL_WHOLE;
}

static int open_file(const char *path)
{
    wchar_t *wide = wide_of_utf8(path);
    errno = ENOENT;
    int descriptor = wide ? _wopen(wide, _O_RDWR | _O_CREAT | _O_APPEND | _O_BINARY | _O_NOINHERIT,
                                   _S_IREAD | _S_IWRITE)
                          : -1;
    free(wide);
    return descriptor;
}

struct append *append_open(const char *path, const struct append_format *format,
                           struct problem *problem)
{
    bool is_output = strcmp(path, "-") == 0;
    int descriptor = is_output ? _fileno(stdout) : open_file(path);
    if (descriptor < 0) {
        problem_set(problem, "cannot write %.300s: %s; name another file with -o", path,
                    strerror(errno));
        return NULL;
    }
    _setmode(descriptor, _O_BINARY);
    struct append *append = memory_new(sizeof *append);
    append->descriptor = descriptor;
    append->is_file = !is_output;
    if (append->is_file && !mend_tail(append, format)) {
        problem_set(problem,
                    "%.300s does not end with a whole line of a recording; name another file "
                    "with -o",
                    path);
        _close(descriptor);
        free(append);
        return NULL;
    }
    return append;
}

int64_t append_cut_bytes(const struct append *append)
{
    return append->cut_bytes;
}

int64_t append_size_bytes(const struct append *append)
{
    long long size = append->is_file ? _filelengthi64(append->descriptor) : 0;
    return size > 0 ? size : 0;
}

enum append_result append_piece(struct append *append, const char *bytes, size_t size,
                                struct problem *problem)
{
    long long begun = append->is_file ? _lseeki64(append->descriptor, 0, SEEK_END) : -1;
    if (write_all(append->descriptor, bytes, size)) {
        return APPEND_OK;
    }
    int error = errno;
    if (error == EPIPE || error == EINVAL) {
        return APPEND_CLOSED;
    }
    if (begun >= 0) {
        _chsize_s(append->descriptor, begun);
    }
    problem_set(problem, "cannot write: %s; what was written before is whole", strerror(error));
    return APPEND_FAILED;
}

bool append_close(struct append **closing, struct problem *problem)
{
    struct append *append = *closing;
    *closing = NULL;
    if (!append) {
        return true;
    }
    bool valid = !append->is_file || _commit(append->descriptor) == 0 ||
                 problem_set(problem, "cannot finish the file: %s", strerror(errno));
    if (append->is_file) {
        _close(append->descriptor);
    }
    free(append);
    return valid;
}
