#include "view/adapter_name.h"

#include <string.h>

#include "view/text_width.h"
#include "view/truncate.h"

static bool drop_first_word(struct text *name, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t size = strlen(words[i]);
        if (name->size > size + 1 && memcmp(name->utf8, words[i], size) == 0 &&
            name->utf8[size] == ' ') {
            *name = (struct text){name->utf8 + size + 1, name->size - size - 1};
            return true;
        }
    }
    return false;
}

static bool drop_last_word(struct text *name, const char *word)
{
    size_t size = strlen(word);
    bool ends = name->size > size + 1 && name->utf8[name->size - size - 1] == ' ' &&
                memcmp(name->utf8 + name->size - size, word, size) == 0;
    if (ends)
        name->size -= size + 1;
    return ends;
}

/* "Battlemage G21 [Arc B580]": the chip, and what it is sold as, by which people know it. */
static bool keep_bracketed(struct text *name)
{
    const char *open = name->size > 2 ? memchr(name->utf8, '[', name->size) : NULL;
    if (open == NULL || name->utf8[name->size - 1] != ']' || open + 2 >= name->utf8 + name->size)
        return false;
    *name = (struct text){open + 1, (size_t)(name->utf8 + name->size - 1 - (open + 1))};
    return true;
}

static bool drop_one_of(struct text *name, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (drop_last_word(name, words[i]))
            return true;
    return false;
}

size_t adapter_short_name(struct text name, size_t width, bool ascii, char *out, size_t size)
{
    static const char *const vendors[] = {"NVIDIA", "AMD", "ATI", "Intel(R)", "Intel", "Apple"};
    static const char *const brands[] = {"GeForce", "Radeon", "Arc(TM)", "Arc", "Iris(R)",
                                         "Iris",    "RTX",    "GTX",     "RX",  "Instinct"};
    static const char *const ends[] = {"Graphics", "Generation", "GPU",  "HBM2",
                                       "HBM2e",    "HBM3",       "HBM3e"};
    bool dropped = true;
    while (dropped && name.size > 0 && text_width(name, ascii) > width)
        dropped = drop_first_word(&name, vendors, sizeof vendors / sizeof *vendors) ||
                  keep_bracketed(&name) || drop_one_of(&name, ends, sizeof ends / sizeof *ends) ||
                  drop_first_word(&name, brands, sizeof brands / sizeof *brands);
    return truncate_text(name, width, ascii, out, size);
}
