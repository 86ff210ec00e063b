#include "os/bounded_input.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "base/fatal.h"
#include "base/file_door.h"
#include "base/thread.h"

enum { PATH_SHOWN = 200 };

struct bounded_input {
    FILE *file;
    int64_t size; /* -1: none */
    struct problem name;
};

static bool is_readable(struct bounded_input *input, struct problem *problem)
{
    HANDLE handle = (HANDLE)_get_osfhandle(_fileno(input->file));
    DWORD type = GetFileType(handle);
    LARGE_INTEGER size;

    input->size = type == FILE_TYPE_DISK && GetFileSizeEx(handle, &size) ? size.QuadPart : -1;
    if (type == FILE_TYPE_DISK || type == FILE_TYPE_PIPE || input->file == stdin)
        return true;
    return problem_set(problem, "%s is a device, which may have no end", input->name.text);
}

struct bounded_input *bounded_input_open(const char *path, struct problem *problem)
{
    struct bounded_input *input = memory_new(sizeof *input);
    bool standard = strcmp(path, "-") == 0;

    problem_set(&input->name, "%.*s", PATH_SHOWN, standard ? "standard input" : path);
    if (standard)
        _setmode(_fileno(stdin), _O_BINARY);
    input->file = standard ? stdin : file_door_open(path);
    if (!input->file)
        problem_set(problem, "cannot read %s: %s", input->name.text, strerror(errno));
    else if (is_readable(input, problem))
        return input;
    bounded_input_close(&input);
    return NULL;
}

int64_t bounded_input_size(const struct bounded_input *input)
{
    return input->size;
}

bool bounded_input_seek(struct bounded_input *input, int64_t offset, struct problem *problem)
{
    if (_fseeki64(input->file, offset, SEEK_SET) == 0)
        return true;
    return problem_set(problem, "cannot read %s at %lld: %s", input->name.text, (long long)offset,
                       strerror(errno));
}

enum bounded_input_result bounded_input_read(struct bounded_input *input, char *buffer, size_t size,
                                             int64_t until_ns, size_t *length,
                                             struct problem *problem)
{
    if (thread_clock_ns() >= until_ns)
        return INPUT_LATE;
    *length = fread(buffer, 1, size, input->file);
    if (*length > 0)
        return INPUT_BYTES;
    if (!ferror(input->file))
        return INPUT_END;
    problem_set(problem, "cannot read %s: %s", input->name.text, strerror(errno));
    return INPUT_FAILED;
}

void bounded_input_close(struct bounded_input **input)
{
    if (*input && (*input)->file && (*input)->file != stdin)
        fclose((*input)->file);
    free(*input);
    *input = NULL;
}
