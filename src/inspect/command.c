#include "inspect/command.h"

#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/vector.h"
#include "inspect/path.h"
#include "inspect/redact.h"
#include "inspect/secrets.h"

/* The program stands among the first arguments: "python3 -u -m vllm...". */
enum { ARGUMENTS_MAX = 256, ARGUMENT_LIMIT = 4096, PROGRAM_ARGUMENTS = 8 };

/* Flags that are secret only for one program. */
enum program_value {
    VALUE_NEXT,              /* the next argument */
    VALUE_NEXT_PAIR,         /* the next argument, when it is a pair and no file */
    VALUE_AFTER_COLON,       /* what follows the colon of the next argument */
    VALUE_GLUED,             /* the rest of this argument */
    VALUE_GLUED_AFTER_COLON, /* what follows the colon in the rest of this argument */
};

struct program_flag {
    const char *program, *flag;
    enum program_value value;
};

static const struct program_flag program_flags[] = {
    {"curl", "-u", VALUE_AFTER_COLON},
    {"curl", "--user", VALUE_AFTER_COLON},
    {"curl", "-U", VALUE_AFTER_COLON},
    {"curl", "--proxy-user", VALUE_AFTER_COLON},
    {"http", "-a", VALUE_AFTER_COLON},
    {"sshpass", "-p", VALUE_NEXT},
    {"redis-cli", "-a", VALUE_NEXT},
    {"redis-server", "--requirepass", VALUE_NEXT},
    {"mosquitto_pub", "-P", VALUE_NEXT},
    {"mosquitto_sub", "-P", VALUE_NEXT},
    {"mysql", "-p", VALUE_GLUED},
    {"mysqldump", "-p", VALUE_GLUED},
    {"mariadb", "-p", VALUE_GLUED},
    {"sshpass", "-p", VALUE_GLUED},
    {"curl", "-u", VALUE_GLUED_AFTER_COLON},
    {"curl", "--user=", VALUE_GLUED_AFTER_COLON},
    {"curl", "-U", VALUE_GLUED_AFTER_COLON},
    {"curl", "--proxy-user=", VALUE_GLUED_AFTER_COLON},
    {"curl", "-b", VALUE_NEXT_PAIR},
    {"ngrok", "authtoken", VALUE_NEXT},
    {"ngrok", "add-authtoken", VALUE_NEXT},
    {"wandb", "login", VALUE_NEXT},
};

/* The arguments of one command while it is read. */
struct command {
    struct raw_text program; /* basename of the first argument */
    bool takes_many;         /* vllm: --api-key takes several values */
    bool pending;            /* the next argument is a secret */
    bool after_colon;        /* only what follows its first colon */
    bool single;             /* there is one argument: perhaps a line that replaced them all */
};

static bool next_argument(struct raw_text *rest, struct raw_text *argument)
{
    if (rest->length == 0)
        return false;
    const char *end = memchr(rest->bytes, '\0', rest->length);
    argument->bytes = rest->bytes;
    argument->length = end ? (size_t)(end - rest->bytes) : rest->length;
    size_t used = argument->length + (end ? 1 : 0);
    rest->bytes += used;
    rest->length -= used;
    return true;
}

static bool contains(struct raw_text raw, char c)
{
    return raw.length > 0 && memchr(raw.bytes, c, raw.length) != NULL;
}

static bool is_glued(enum program_value value)
{
    return value == VALUE_GLUED || value == VALUE_GLUED_AFTER_COLON;
}

/* "-ngl", "--port", "--port=1": what a program would take for a flag rather than for a value. */
static bool looks_like_flag(struct raw_text argument)
{
    if (argument.length < 2 || argument.bytes[0] != '-')
        return false;
    for (size_t i = 1; i < argument.length; i++) {
        char c = argument.bytes[i];
        if (c == '=')
            return i > 1;
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && c != '-' && c != '_')
            return false;
    }
    return true;
}

/* "-pass 1": ffmpeg's first of two passes. "--pwd /work": a container's working directory. */
static bool is_ordinary_value(struct raw_text flag, struct raw_text value)
{
    size_t dashes = flag.length > 1 && flag.bytes[1] == '-' ? 2 : 1;
    struct raw_text name = {flag.bytes + dashes, flag.length - dashes};
    if (raw_equal_string(name, "pwd"))
        return value.length > 0 && (value.bytes[0] == '/' || value.bytes[0] == '.');
    return raw_equal_string(name, "pass") && value.length == 1 && value.bytes[0] >= '0' &&
           value.bytes[0] <= '9';
}

static const struct program_flag *program_flag(const struct command *command,
                                               struct raw_text argument)
{
    for (size_t i = 0; i < sizeof program_flags / sizeof *program_flags; i++) {
        const struct program_flag *entry = &program_flags[i];
        size_t length = strlen(entry->flag);
        bool fits = is_glued(entry->value) ? argument.length > length &&
                                                 memcmp(argument.bytes, entry->flag, length) == 0
                                           : raw_equal_string(argument, entry->flag);
        if (fits && raw_equal_string(command->program, entry->program))
            return entry;
    }
    return NULL;
}

/* "/token abc", as programs of Windows take their flags. */
static bool is_slash_flag(struct raw_text argument)
{
    if (argument.length < 2 || argument.bytes[0] != '/')
        return false;
    struct raw_text name = {argument.bytes + 1, argument.length - 1};
    for (size_t i = 0; i < name.length; i++) {
        char c = name.bytes[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && c != '-' && c != '_')
            return false;
    }
    return secret_name(name, true);
}

/* True when the name alone says that a secret follows, or the two together do. */
static bool names_secret(struct raw_text argument, struct raw_text next)
{
    if (contains(argument, '=') || contains(argument, ' '))
        return false;
    bool is_flag = argument.length > 1 && argument.bytes[0] == '-';
    return (is_flag && secret_name(argument, true)) || is_slash_flag(argument) ||
           secret_by_value(argument, is_flag, next);
}

static void append_secret(struct redacted *out, struct raw_text secret, bool after_colon)
{
    size_t kept = 0;
    if (after_colon) {
        while (kept < secret.length && secret.bytes[kept] != ':')
            kept++;
        kept = kept < secret.length ? kept + 1 : kept;
        redact_copy(out, secret.bytes, kept);
    }
    if (kept < secret.length)
        redact_mark(out);
}

static void append_pending(struct command *command, struct redacted *out, struct raw_text argument)
{
    append_secret(out, argument, command->after_colon);
    command->pending = command->takes_many && !command->after_colon;
    command->after_colon = false;
}

static void append_argument(struct command *command, struct redacted *out, struct raw_text argument,
                            struct raw_text rest)
{
    struct raw_text next = {0};
    const struct program_flag *special = program_flag(command, argument);

    if (command->pending && raw_equal_string(argument, "--")) {
        redact_copy(out, argument.bytes, argument.length);
        return;
    }
    if (command->pending && !looks_like_flag(argument)) {
        append_pending(command, out, argument);
        return;
    }
    command->pending = false;
    if (special && is_glued(special->value)) {
        size_t length = strlen(special->flag);
        struct raw_text secret = {argument.bytes + length, argument.length - length};
        redact_copy(out, special->flag, length);
        append_secret(out, secret, special->value == VALUE_GLUED_AFTER_COLON);
        return;
    }
    bool follows = next_argument(&rest, &next);
    if (special || names_secret(argument, next)) {
        command->pending = follows && !(!special && is_ordinary_value(argument, next)) &&
                           !(special && special->value == VALUE_NEXT_PAIR && !contains(next, '='));
        command->after_colon = special && special->value == VALUE_AFTER_COLON;
        redact_copy(out, argument.bytes, argument.length);
        return;
    }
    redact_append(out, argument, !command->single || !contains(argument, ' '));
}

/* A cut must not fall into a character: text_from_raw() repairs what is left of one. */
static struct text text_of(struct arena *arena, const struct redacted *out)
{
    static const char empty[] = "";
    struct raw_text raw = {out->bytes ? out->bytes : empty, out->count};
    if (raw.length > ARGUMENT_LIMIT) {
        raw.length = ARGUMENT_LIMIT;
        while (raw.length > 0 && (raw.bytes[raw.length] & 0xC0) == 0x80)
            raw.length--;
    }
    return text_from_raw(arena, raw);
}

/* Processes that write a title over their arguments leave the rest full of NULs. */
static struct raw_text without_padding(struct raw_text command)
{
    while (command.length > 1 && command.bytes[command.length - 1] == '\0' &&
           command.bytes[command.length - 2] == '\0')
        command.length--;
    return command;
}

struct text_list command_redact(struct arena *arena, struct raw_text command_line)
{
    struct text_list list = {.known = command_line.bytes != NULL};
    if (!list.known || command_line.length == 0)
        return list;
    struct raw_text rest = without_padding(command_line);
    struct raw_text count_rest = rest, argument = {0};
    struct command command = {0};
    size_t count = 0;
    while (count < ARGUMENTS_MAX && next_argument(&count_rest, &argument)) {
        if (count == 0)
            command.program = path_basename(argument);
        if (count < PROGRAM_ARGUMENTS && raw_starts_with(path_basename(argument), "vllm"))
            command.takes_many = true;
        count++;
    }
    command.single = count == 1;

    struct text *items = ARENA_ARRAY(arena, struct text, count);
    struct redacted out = {0};
    for (size_t i = 0; i < count && next_argument(&rest, &argument); i++) {
        out.count = 0;
        append_argument(&command, &out, argument, rest);
        items[i] = text_of(arena, &out);
    }
    free(out.bytes);
    list.items = items;
    list.count = count;
    return list;
}

struct text text_redact(struct arena *arena, struct raw_text raw)
{
    if (!raw.bytes)
        return TEXT_NONE;
    static const char empty[] = "";
    struct redacted out = {0};
    redact_append(&out, raw, false);
    struct text text =
        text_from_raw(arena, (struct raw_text){out.bytes ? out.bytes : empty, out.count});
    free(out.bytes);
    return text;
}
