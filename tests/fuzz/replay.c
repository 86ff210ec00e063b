/* Runs a fuzz target over files, without a fuzzer: every corpus entry is a regression test. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        return 0;
    }
    enum { LIMIT = 1 << 20 };
    uint8_t *data = malloc(LIMIT);
    size_t size = data ? fread(data, 1, LIMIT, file) : 0;
    fclose(file);
    /* An exact copy, so that a sanitizer sees a read past its end. */
    uint8_t *exact = malloc(size ? size : 1);
    if (exact && data) {
        memcpy(exact, data, size);
        LLVMFuzzerTestOneInput(exact, size);
    }
    free(exact);
    free(data);
    return 1;
}

int main(int argc, char **argv)
{
    int count = 0;
    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        for (struct dirent *entry; folder && (entry = readdir(folder));) {
            char path[4096];
            if (entry->d_name[0] != '.') {
                snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
                count += replay_file(path);
            }
        }
        if (folder) {
            closedir(folder);
        }
    }
    printf("%d inputs\n", count);
    return count > 0 ? 0 : 1;
}
