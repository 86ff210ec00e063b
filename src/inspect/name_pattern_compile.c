#include "inspect/name_pattern_steps.h"

#include <string.h>

enum { DEPTH_MAX = 32, REPEAT_MAX = 256 };

/* A piece of the graph: where it begins, and the chain of loose ends, threaded through the ends
 * themselves (step * 2, + 1 for `other`). */
struct piece {
    uint16_t start;
    uint16_t loose;
};

struct compiler {
    struct name_pattern *pattern;
    const char *bytes;
    size_t length, at;
    int depth;
    bool failed;
};

static uint16_t add_step(struct compiler *compiler, enum step_kind kind, uint8_t set)
{
    struct name_pattern *pattern = compiler->pattern;
    if (pattern->step_count == NAME_PATTERN_STEPS) {
        compiler->failed = true;
        return 0;
    }
    size_t step = pattern->step_count++;
    pattern->steps[step].kind = (uint8_t)kind;
    pattern->steps[step].set = set;
    pattern->steps[step].next = pattern->steps[step].other = NOWHERE;
    return (uint16_t)step;
}

static uint16_t *loose_end(struct name_pattern *pattern, uint16_t end)
{
    return end & 1 ? &pattern->steps[end / 2].other : &pattern->steps[end / 2].next;
}

static void connect(struct compiler *compiler, uint16_t loose, uint16_t to)
{
    while (loose != NOWHERE) {
        uint16_t *end = loose_end(compiler->pattern, loose);
        loose = *end;
        *end = to;
    }
}

static uint16_t join(struct compiler *compiler, uint16_t first, uint16_t second)
{
    if (first == NOWHERE) {
        return second;
    }
    uint16_t at = first;
    while (*loose_end(compiler->pattern, at) != NOWHERE) {
        at = *loose_end(compiler->pattern, at);
    }
    *loose_end(compiler->pattern, at) = second;
    return first;
}

static struct piece single(struct compiler *compiler, enum step_kind kind, uint8_t set)
{
    uint16_t step = add_step(compiler, kind, set);
    return (struct piece){step, compiler->failed ? NOWHERE : (uint16_t)(step * 2)};
}

static struct piece sequence(struct compiler *compiler, struct piece first, struct piece second)
{
    connect(compiler, first.loose, second.start);
    return (struct piece){first.start, second.loose};
}

static struct piece either(struct compiler *compiler, struct piece first, struct piece second)
{
    uint16_t step = add_step(compiler, STEP_SPLIT, 0);
    if (compiler->failed) {
        return first;
    }
    compiler->pattern->steps[step].next = first.start;
    compiler->pattern->steps[step].other = second.start;
    return (struct piece){step, join(compiler, first.loose, second.loose)};
}

static struct piece optional(struct compiler *compiler, struct piece piece)
{
    uint16_t step = add_step(compiler, STEP_SPLIT, 0);
    if (compiler->failed) {
        return piece;
    }
    compiler->pattern->steps[step].next = piece.start;
    return (struct piece){step, join(compiler, (uint16_t)(step * 2 + 1), piece.loose)};
}

static struct piece repeat(struct compiler *compiler, struct piece piece, bool at_least_once)
{
    uint16_t step = add_step(compiler, STEP_SPLIT, 0);
    if (compiler->failed) {
        return piece;
    }
    compiler->pattern->steps[step].next = piece.start;
    connect(compiler, piece.loose, step);
    return (struct piece){at_least_once ? piece.start : step, (uint16_t)(step * 2 + 1)};
}

static void set_add(uint32_t set[8], unsigned char c)
{
    set[c / 32] |= (uint32_t)1 << c % 32;
}

static void set_add_range(uint32_t set[8], int from, int to)
{
    for (int c = from; c <= to; c++) {
        set_add(set, (unsigned char)c);
    }
}

/* \d \w \s and their opposites; false: the letter itself is meant. */
static bool set_add_class(uint32_t set[8], char letter)
{
    uint32_t class[8] = {0};
    switch (letter | 32) {
    case 'd':
        set_add_range(class, '0', '9');
        break;
    case 'w':
        set_add_range(class, '0', '9');
        set_add_range(class, 'A', 'Z');
        set_add_range(class, 'a', 'z');
        set_add(class, '_');
        break;
    case 's':
        set_add_range(class, '\t', '\r');
        set_add(class, ' ');
        break;
    default:
        return false;
    }
    for (int i = 0; i < 8; i++) {
        set[i] |= letter >= 'a' ? class[i] : ~class[i];
    }
    return true;
}

static struct piece take_set(struct compiler *compiler, const uint32_t set[8])
{
    struct name_pattern *pattern = compiler->pattern;
    size_t found = 0;
    while (found < pattern->set_count && memcmp(pattern->sets[found], set, 32) != 0) {
        found++;
    }
    if (found == NAME_PATTERN_SETS) {
        compiler->failed = true;
        return (struct piece){0, NOWHERE};
    }
    if (found == pattern->set_count) {
        memcpy(pattern->sets[pattern->set_count++], set, 32);
    }
    return single(compiler, STEP_TAKE, (uint8_t)found);
}

static int peek(const struct compiler *compiler)
{
    return compiler->at < compiler->length ? (unsigned char)compiler->bytes[compiler->at] : -1;
}

static bool accept(struct compiler *compiler, char c)
{
    if (peek(compiler) != (unsigned char)c) {
        return false;
    }
    compiler->at++;
    return true;
}

static int control_of(int letter)
{
    switch (letter) {
    case 'n':
        return '\n';
    case 't':
        return '\t';
    case 'r':
        return '\r';
    default:
        return letter;
    }
}

/* One character of a class, or a class letter behind a backslash (then *single is false). */
static int take_class_item(struct compiler *compiler, uint32_t set[8], bool *is_single)
{
    int c = peek(compiler);
    compiler->at++;
    *is_single = true;
    if (c == '\\') {
        c = peek(compiler);
        compiler->at++;
        if (c < 0) {
            compiler->failed = true;
        } else if (set_add_class(set, (char)c)) {
            *is_single = false;
        }
        c = control_of(c);
    }
    return c;
}

/* Behind '['. */
static struct piece take_class(struct compiler *compiler)
{
    uint32_t set[8] = {0};
    bool negated = accept(compiler, '^');
    while (!accept(compiler, ']')) {
        bool from_single, to_single;
        int from = take_class_item(compiler, set, &from_single);
        if (from < 0 || compiler->failed) {
            compiler->failed = true;
            break;
        }
        if (!from_single) {
            continue;
        }
        int to = from;
        if (peek(compiler) == '-' && compiler->at + 1 < compiler->length &&
            compiler->bytes[compiler->at + 1] != ']') {
            compiler->at++;
            to = take_class_item(compiler, set, &to_single);
            compiler->failed |= to < from || !to_single;
        }
        if (!compiler->failed) {
            set_add_range(set, from, to);
        }
    }
    for (int i = 0; negated && i < 8; i++) {
        set[i] = ~set[i];
    }
    return take_set(compiler, set);
}

static struct piece take_literal(struct compiler *compiler, int c)
{
    uint32_t set[8] = {0};
    if (c == '.') {
        memset(set, 0xff, sizeof set);
    } else if (c == '\\') {
        c = peek(compiler);
        compiler->at++;
        if (c < 0) {
            compiler->failed = true;
        } else if (!set_add_class(set, (char)c)) {
            set_add(set, (unsigned char)control_of(c));
        }
    } else {
        set_add(set, (unsigned char)c);
    }
    return take_set(compiler, set);
}

static struct piece take_choice(struct compiler *compiler);

static struct piece take_atom(struct compiler *compiler)
{
    int c = peek(compiler);
    compiler->at++;
    switch (c) {
    case '(': {
        if (accept(compiler, '?') && !accept(compiler, ':')) {
            compiler->failed = true; /* look-around */
        }
        struct piece piece = take_choice(compiler);
        compiler->failed |= !accept(compiler, ')');
        return piece;
    }
    case '[':
        return take_class(compiler);
    case '^':
        return single(compiler, STEP_START, 0);
    case '$':
        return single(compiler, STEP_END, 0);
    case '*':
    case '+':
    case '?':
    case '{':
        compiler->failed = true;
        return (struct piece){0, NOWHERE};
    default:
        return take_literal(compiler, c);
    }
}

static bool take_number(struct compiler *compiler, int *number)
{
    int c = peek(compiler);
    bool digits = false;
    *number = 0;
    while (c >= '0' && c <= '9' && *number <= REPEAT_MAX) {
        *number = *number * 10 + (c - '0');
        digits = true;
        compiler->at++;
        c = peek(compiler);
    }
    return digits && *number <= REPEAT_MAX;
}

/* "{2,4}": the atom is compiled anew for every copy. */
static struct piece take_counted(struct compiler *compiler, size_t atom, struct piece piece)
{
    int least = 0, most;
    if (!take_number(compiler, &least)) {
        compiler->failed = true;
        return piece;
    }
    bool open = false;
    most = least;
    if (accept(compiler, ',')) {
        open = peek(compiler) == '}';
        compiler->failed |= !open && !take_number(compiler, &most);
    }
    compiler->failed |= !accept(compiler, '}') || most < least;
    size_t behind = compiler->at;
    struct piece all = single(compiler, STEP_SPLIT, 0); /* the empty text */
    int copies = open ? least + 1 : most;
    for (int i = 0; i < copies && !compiler->failed; i++) {
        compiler->at = atom;
        struct piece copy = i == 0 ? piece : take_atom(compiler);
        if (i >= least) {
            copy = open ? repeat(compiler, copy, false) : optional(compiler, copy);
        }
        all = sequence(compiler, all, copy);
    }
    compiler->at = behind;
    return all;
}

static struct piece take_repeated(struct compiler *compiler)
{
    size_t atom = compiler->at;
    struct piece piece = take_atom(compiler);
    if (compiler->failed) {
        return piece;
    }
    if (accept(compiler, '*')) {
        piece = repeat(compiler, piece, false);
    } else if (accept(compiler, '+')) {
        piece = repeat(compiler, piece, true);
    } else if (accept(compiler, '?')) {
        piece = optional(compiler, piece);
    } else if (accept(compiler, '{')) {
        piece = take_counted(compiler, atom, piece);
    } else {
        return piece;
    }
    accept(compiler, '?'); /* lazy: the same names are found */
    return piece;
}

static struct piece take_sequence(struct compiler *compiler)
{
    struct piece piece = single(compiler, STEP_SPLIT, 0);
    while (!compiler->failed && peek(compiler) >= 0 && peek(compiler) != '|' &&
           peek(compiler) != ')') {
        piece = sequence(compiler, piece, take_repeated(compiler));
    }
    return piece;
}

static struct piece take_choice(struct compiler *compiler)
{
    if (++compiler->depth > DEPTH_MAX) {
        compiler->failed = true;
    }
    struct piece piece = take_sequence(compiler);
    while (!compiler->failed && accept(compiler, '|')) {
        piece = either(compiler, piece, take_sequence(compiler));
    }
    compiler->depth--;
    return piece;
}

bool name_pattern_compile(struct name_pattern *pattern, struct raw_text expression)
{
    struct compiler compiler = {
        .pattern = pattern, .bytes = expression.bytes, .length = expression.length};
    pattern->step_count = pattern->set_count = 0;
    struct piece piece = take_choice(&compiler);
    uint16_t match = add_step(&compiler, STEP_MATCH, 0);
    if (compiler.failed || compiler.at != compiler.length) {
        return false;
    }
    connect(&compiler, piece.loose, match);
    pattern->start = piece.start;
    return true;
}
