/* Filter words as a user types them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "view/filter.h"
#include "view/rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct process process = {.name = TEXT("llama-server"), .label = TEXT("4242"), .pid = 4242};
    struct row row = {.process = &process};
    struct filter filter;
    struct problem problem = {.text = ""};
    char *words = malloc(size + 1);
    if (words == NULL)
        return 0;
    if (size > 0)
        memcpy(words, data, size);
    words[size] = '\0';
    if (!filter_parse(words, &filter, &problem) && problem.text[0] == '\0')
        abort();
    filter_accepts(&filter, &row);
    free(words);
    return 0;
}
