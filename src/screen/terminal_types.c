#include "screen/terminal_types.h"

#include <string.h>

static const char *const consoles[] = {"linux", "vt100", NULL};
static const char *const multiplexers[] = {"screen-256color", "screen", "xterm-256color",
                                           "xterm",           "vt100",  NULL};
static const char *const windows[] = {"xterm-256color", "xterm", "vt100", NULL};
static const char *const old[] = {"vt100", NULL};

/* By how the name begins; the first that fits, the last fits all. */
static const struct {
    const char *prefix;
    const char *const *stand_ins;
} families[] = {
    {"linux", consoles}, {"fbterm", consoles}, {"screen", multiplexers}, {"tmux", multiplexers},
    {"vt", old},         {"dumb", NULL},       {"unknown", NULL},        {"", windows},
};

static const char *const *stand_ins_of(const char *term)
{
    size_t i = 0;
    while (strncmp(term, families[i].prefix, strlen(families[i].prefix)) != 0) {
        i++;
    }
    return families[i].stand_ins;
}

const char *terminal_type_stand_in(const char *term, size_t number)
{
    const char *const *stand_ins = term && term[0] != '\0' ? stand_ins_of(term) : NULL;
    for (; stand_ins && *stand_ins; stand_ins++) {
        if (number-- == 0) {
            return *stand_ins;
        }
    }
    return NULL;
}

const char *terminal_type_built_in(const char *type)
{
    static const struct {
        const char *type, *description;
    } built_in[] = {
#ifdef EMBEDDED_TERMINFO
#include <embedded_terminfo.h> /* written by the build */
#endif
        {NULL, NULL},
    };
    for (size_t i = 0; built_in[i].type; i++) {
        if (strcmp(built_in[i].type, type) == 0) {
            return built_in[i].description;
        }
    }
    return NULL;
}
