#include "inspect/secrets.h"

#include <string.h>

enum { WORDS_MAX = 12, WORD_SIZE = 24 };

/* The words of a name, in lower case: "HF_TOKEN" and "hfToken" are hf, token. */
struct name_words {
    char words[WORDS_MAX][WORD_SIZE];
    size_t count;
    bool upper; /* no lower-case letter in it: an environment variable */
};

/* Words that make a name secret wherever they stand last. */
static const char *const secret_words[] = {
    "password",    "passwd",      "passphrase",    "passcode",  "secret",      "secrets",
    "credential",  "credentials", "apikey",        "apitoken",  "accesstoken", "authtoken",
    "bearertoken", "hftoken",     "accesskey",     "secretkey", "privatekey",  "authkey",
    "bearer",      "jwt",         "authorization", "cookie",    "passwords",   "apikeys",
    "hft",         "otp",
};

/* What comes before "key" when it is no file and no keyboard. */
static const char *const key_words[] = {
    "api",     "access",     "secret",  "private", "auth",    "account", "license",      "licence",
    "signing", "encryption", "service", "master",  "admin",   "session", "subscription", "shared",
    "openai",  "anthropic",  "hf",      "client",  "storage", "webhook", "project",      "deploy",
    "wandb",   "civitai",    "ngc",     "groq",    "mistral", "gemini",  "google",       "azure",
    "cohere",  "replicate",  "tavily",  "serper",  "comet",   "github",  "gitlab",       "hmac",
};

/* What comes before "token" when it is one of a vocabulary. */
static const char *const vocabulary_words[] = {
    "eos",    "bos",    "pad", "unk",    "sep",     "cls",   "mask",  "image",      "audio",
    "video",  "stop",   "eot", "eom",    "special", "start", "end",   "next",       "per",
    "prefix", "suffix", "fim", "vision", "decoder", "first", "last",  "no",         "reasoning",
    "think",  "max",    "min", "num",    "n",       "new",   "total", "multimodal",
};

static const char *const pass_words[] = {
    "render", "low",   "high", "band", "all",   "two",
    "single", "multi", "one",  "by",   "first", "second",
};

static const char *const switch_words[] = {
    "no", "enable", "disable", "require", "skip", "with", "without", "use", "allow",
};

/* Words after which the name still means the same secret. */
static const char *const trailing_words[] = {"value", "string", "plain", "base64",
                                             "b64",   "hash",   "text"};

#define LISTED(word, list) is_listed(word, list, sizeof(list) / sizeof *(list))

static bool is_listed(const char *word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, list[i]) == 0)
            return true;
    return false;
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool ends_with(const char *word, const char *end)
{
    size_t length = strlen(word), tail = strlen(end);
    return length > tail && strcmp(word + length - tail, end) == 0;
}

static void split_words(struct raw_text name, struct name_words *words)
{
    size_t length = 0;
    *words = (struct name_words){.upper = true};
    for (size_t i = 0; i < name.length && words->count < WORDS_MAX; i++) {
        char c = name.bytes[i];
        bool letter = is_lower(c) || is_upper(c) || is_digit(c);
        bool hump = is_upper(c) && i > 0 && is_lower(name.bytes[i - 1]);
        if (is_lower(c))
            words->upper = false;
        if ((!letter || hump) && length > 0) {
            words->count++;
            length = 0;
        }
        if (letter && words->count < WORDS_MAX && length < WORD_SIZE - 1)
            words->words[words->count][length++] = is_upper(c) ? (char)(c - 'A' + 'a') : c;
    }
    if (length > 0)
        words->count++;
}

bool secret_name(struct raw_text name, bool is_flag)
{
    /* A name is short; what is longer is judged by its end, where the deciding words stand. */
    enum { NAME_TAIL = 128 };
    if (name.length > NAME_TAIL) {
        name.bytes += name.length - NAME_TAIL;
        name.length = NAME_TAIL;
    }
    struct name_words words;
    split_words(name, &words);
    size_t count = words.count;
    while (count > 1 && LISTED(words.words[count - 1], trailing_words))
        count--;
    if (count == 0)
        return false;
    const char *last = words.words[count - 1];
    const char *before = count > 1 ? words.words[count - 2] : "";
    if (LISTED(before, switch_words))
        return false;
    if (LISTED(last, secret_words) || ends_with(last, "password") || ends_with(last, "passwd"))
        return true;
    if (strcmp(last, "pwd") == 0) /* PWD alone is where a shell stands */
        return is_flag || count > 1;
    if (strcmp(last, "token") == 0)
        return !LISTED(before, vocabulary_words);
    if (strcmp(last, "key") == 0 || strcmp(last, "keys") == 0)
        return LISTED(before, key_words) || (words.upper && count > 1 && last[3] == '\0');
    if (strcmp(last, "pass") == 0)
        return !LISTED(before, pass_words);
    return strcmp(last, "auth") == 0 && (is_flag || (words.upper && count > 1));
}

/* A long run of letters and digits, both of them: no path, no address, no name made of words. */
static bool looks_like_key(struct raw_text value)
{
    enum { KEY_LEAST = 20, RUN_LEAST = 16 };
    bool letter = false, digit = false;
    size_t run = 0, longest = 0;
    for (size_t i = 0; i < value.length; i++) {
        char c = value.bytes[i];
        bool part = is_lower(c) || is_upper(c) || is_digit(c);
        if (!part && c != '-' && c != '_' && c != '+' && c != '=')
            return false;
        letter |= is_lower(c) || is_upper(c);
        digit |= is_digit(c);
        run = part ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return value.length >= KEY_LEAST && longest >= RUN_LEAST && letter && digit;
}

static bool is_pin(struct raw_text value)
{
    enum { PIN_LEAST = 4, PIN_MOST = 12 };
    for (size_t i = 0; i < value.length; i++)
        if (!is_digit(value.bytes[i]))
            return false;
    return value.length >= PIN_LEAST && value.length <= PIN_MOST;
}

bool secret_by_value(struct raw_text name, bool is_flag, struct raw_text value)
{
    struct name_words words;
    if (name.length == 0 || name.length > WORD_SIZE * WORDS_MAX)
        return false;
    split_words(name, &words);
    const char *only = words.count == 1 ? words.words[0] : "";
    if (is_flag && (strcmp(only, "pin") == 0 || strcmp(only, "pincode") == 0))
        return is_pin(value);
    if (is_flag && (strcmp(only, "key") == 0 || strcmp(only, "k") == 0 || strcmp(only, "p") == 0))
        return looks_like_key(value);
    return !is_flag && words.upper && secret_name(name, false) && looks_like_key(value);
}

bool secret_parameter(struct raw_text name)
{
    static const char *const parameters[] = {"sig", "signature", "key", "auth", "code"};
    struct name_words words;
    split_words(name, &words);
    return words.count > 0 && LISTED(words.words[words.count - 1], parameters);
}

bool secret_header(struct raw_text name)
{
    static const char *const headers[] = {"authorization", "cookie"};
    struct name_words words;
    split_words(name, &words);
    return words.count > 0 && LISTED(words.words[words.count - 1], headers);
}

/* A kind of key: its prefix and how many characters of a key follow at least. */
struct key_shape {
    const char *prefix;
    size_t least;
    bool dashes;    /* '-' and '_' belong to the key */
    bool uppercase; /* capitals and digits only */
    bool dots;
};

static const struct key_shape shapes[] = {
    {"sk-", 10, true, false, false},      {"hf_", 12, false, false, false},
    {"ghp_", 16, false, false, false},    {"gho_", 16, false, false, false},
    {"ghu_", 16, false, false, false},    {"ghs_", 16, false, false, false},
    {"ghr_", 16, false, false, false},    {"github_pat_", 16, true, false, false},
    {"glpat-", 12, true, false, false},   {"xoxb-", 12, true, false, false},
    {"xoxp-", 12, true, false, false},    {"xoxa-", 12, true, false, false},
    {"xapp-", 12, true, false, false},    {"AKIA", 16, false, true, false},
    {"ASIA", 16, false, true, false},     {"AIza", 30, true, false, false},
    {"ya29.", 16, true, false, false},    {"eyJ", 20, true, false, true},
    {"nvapi-", 16, true, false, false},   {"gsk_", 16, false, false, false},
    {"r8_", 16, false, false, false},     {"pplx-", 16, false, false, false},
    {"xai-", 16, false, false, false},    {"tgp_v1_", 16, true, false, false},
    {"npm_", 20, false, false, false},    {"pypi-", 20, true, false, false},
    {"dop_v1_", 20, false, false, false}, {"SG.", 20, true, false, true},
    {"rpa_", 16, false, false, false},    {"jina_", 20, true, false, false},
};

static bool belongs(const struct key_shape *shape, char c)
{
    if (shape->uppercase)
        return is_upper(c) || is_digit(c);
    if (is_lower(c) || is_upper(c) || is_digit(c))
        return true;
    return (shape->dashes && (c == '-' || c == '_')) || (shape->dots && c == '.');
}

/* Random characters: a long key, or a run of some length with capitals or digits in it. Words
 * with dashes between them ("toolkit-2024") are a name. */
static bool looks_random(struct raw_text key)
{
    enum { LONG_KEY = 30, RUN = 8 };
    if (key.length >= LONG_KEY)
        return true;
    size_t run = 0;
    bool mixed = false;
    for (size_t i = 0; i < key.length; i++) {
        char c = key.bytes[i];
        bool dash = c == '-' || c == '_' || c == '.';
        run = dash ? 0 : run + 1;
        mixed = !dash && (mixed || is_digit(c) || is_upper(c));
        if (run >= RUN && mixed)
            return true;
    }
    return false;
}

size_t secret_key_length(struct raw_text rest)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct key_shape *shape = &shapes[i];
        size_t prefix = strlen(shape->prefix);
        if (rest.length < prefix || memcmp(rest.bytes, shape->prefix, prefix) != 0)
            continue;
        size_t length = prefix;
        while (length < rest.length && belongs(shape, rest.bytes[length]))
            length++;
        struct raw_text key = {rest.bytes + prefix, length - prefix};
        if (key.length >= shape->least && looks_random(key))
            return length;
    }
    return 0;
}
