#include <string.h>
#include <windows.h>

#include "inspect/files/byte_source_door.h"
#include "os/root.h"
#include "os/windows/file_handle_door.h"

bool byte_source_door_open_root(const struct root *root, const char *path,
                                struct byte_source *source, struct problem *problem)
{
    int error;
    LARGE_INTEGER size;
    struct root_file_facts facts;
    if (!root_file_facts(root, path, &facts) || !facts.regular)
        return problem_set(problem, "%s is no regular file that is here", path);
    HANDLE file = root_handle(root, path, GENERIC_READ, 0, &error);
    if (file == INVALID_HANDLE_VALUE)
        return problem_set(problem, "cannot read %s: %s", path, strerror(error));
    if (GetFileType(file) != FILE_TYPE_DISK || !GetFileSizeEx(file, &size)) {
        CloseHandle(file);
        return problem_set(problem, "%s is no regular file", path);
    }
    *source = (struct byte_source){.size = size.QuadPart, .handle = (intptr_t)file};
    return true;
}
