#include "gpu/nvml/nvml_library.h"

#include <stdio.h>
#include <string.h>

#include "gpu/nvml/nvml_door.h"

void nvml_version_of_file(const char *path, char *version, size_t size)
{
    version[0] = '\0';
    const char *found = NULL;
    for (const char *at = strstr(path, ".so."); at != NULL; at = strstr(at + 1, ".so."))
        found = at + 4;
    if (found != NULL && strchr(found, '.') != NULL && strlen(found) < size &&
        strspn(found, "0123456789.") == strlen(found))
        memcpy(version, found, strlen(found) + 1);
}

static void *find_symbol(void *context, const char *symbol)
{
    return library_symbol(context, symbol);
}

static void set_words(struct nvml_opening *opening, int code, const char *words)
{
    opening->code = code;
    snprintf(opening->words, sizeof opening->words, "%.*s", NVML_WORDS_SIZE - 1, words);
}

static bool has_what_it_needs(const struct nvml_calls *calls)
{
    return nvml_call_is_open(calls, NVML_FUNCTION_init) &&
           nvml_call_is_open(calls, NVML_FUNCTION_shutdown) &&
           nvml_call_is_open(calls, NVML_FUNCTION_device_count) &&
           nvml_call_is_open(calls, NVML_FUNCTION_handle_by_index);
}

static void read_path(struct nvml_library *library, const char *place, struct nvml_opening *opening)
{
    void *address = library_symbol(library->file, "nvmlShutdown");
    if (address == NULL || !nvml_file_of(address, opening->path, sizeof opening->path))
        snprintf(opening->path, sizeof opening->path, "%s", place);
    nvml_version_of_file(opening->path, opening->file_version, sizeof opening->file_version);
}

static void read_versions(struct nvml_library *library, struct nvml_opening *opening)
{
    int status;
    NVML_CALL(status, &library->calls, driver_version, opening->driver_version,
              sizeof opening->driver_version - 1);
    if (status != NVML_OK)
        opening->driver_version[0] = '\0';
    NVML_CALL(status, &library->calls, nvml_version, opening->nvml_version,
              sizeof opening->nvml_version - 1);
    if (status != NVML_OK)
        opening->nvml_version[0] = '\0';
}

/* Loads and initialises one candidate. The library stays loaded on failure: the caller closes it.
 */
static bool open_place(struct nvml_library *library, const char *place, bool alone,
                       struct nvml_opening *opening)
{
    struct problem problem = {0};
    library->file = library_open(place, &problem);
    if (library->file == NULL) {
        /* A library that was there and refused says more than one that is not there. */
        if (!opening->loaded && alone)
            set_words(opening, NVML_LIBRARY_NOT_FOUND, problem.text);
        return false;
    }
    memset(opening, 0, sizeof *opening);
    opening->loaded = true;
    read_path(library, place, opening);
    nvml_functions_find(&library->functions, find_symbol, library->file);
    nvml_calls_start(&library->calls, &library->functions);
    if (!has_what_it_needs(&library->calls)) {
        set_words(opening, NVML_FUNCTION_NOT_FOUND,
                  "the library lacks nvmlInit or device functions");
        return false;
    }
    int status;
    NVML_CALL(status, &library->calls, init);
    set_words(opening, status, status == NVML_OK ? "" : nvml_code_words(status));
    return status == NVML_OK;
}

bool nvml_library_open(struct nvml_library *library, const char *only, struct nvml_opening *opening)
{
    char place[NVML_PATH_SIZE], words[64];
    bool alone = only != NULL && only[0] != '\0';
    memset(opening, 0, sizeof *opening);
    memset(library, 0, sizeof *library);
    snprintf(words, sizeof words, "%s was not found", nvml_file_name);
    set_words(opening, NVML_LIBRARY_NOT_FOUND, words);
    for (size_t i = 0; alone ? i == 0 : nvml_place(i, place, sizeof place); i++) {
        if (open_place(library, alone ? only : place, alone, opening)) {
            read_versions(library, opening);
            return true;
        }
        library_close(&library->file);
        bool next = opening->code == NVML_DRIVER_NOT_LOADED ||
                    opening->code == NVML_LIBRARY_NOT_FOUND ||
                    opening->code == NVML_FUNCTION_NOT_FOUND;
        if (!next)
            break;
    }
    return false;
}

void nvml_library_close(struct nvml_library *library)
{
    if (library->file == NULL)
        return;
    int status;
    library->calls.lost_code = 0;
    NVML_CALL(status, &library->calls, shutdown);
    (void)status;
    library_close(&library->file);
}
