#include "inspect/classify.h"

#include <string.h>

#include "inspect/command.h"
#include "inspect/path.h"
#include "inspect/runtimes.h"

enum match {
    MATCH_NAME,
    MATCH_PREFIX,
    MATCH_SUFFIX,
    MATCH_COMM,
    MATCH_SCRIPT,
    MATCH_WORD,
    MATCH_PATH,
};

struct fingerprint {
    enum match match;
    const char *pattern;
    enum process_class class;
    const char *runtime;
};

static const struct fingerprint fingerprints[] = {
#define FINGERPRINT(match, pattern, class, runtime)                                                \
    {MATCH_##match, pattern, CLASS_##class, runtime},
#include "inspect/classes.def"
#undef FINGERPRINT
};

enum { FINGERPRINT_COUNT = sizeof fingerprints / sizeof *fingerprints };
enum { NAMES_MAX = 3, ARGUMENTS_MAX = 64, EVIDENCE_MAX = 8, RUNTIMES_MAX = 8 };

/* What is matched: names of the program, the script of an interpreter, the arguments. */
struct names {
    struct raw_text names[NAMES_MAX];
    size_t count;
    struct raw_text comm, script, executable;
    struct raw_text arguments[ARGUMENTS_MAX];
    size_t argument_count;
    uint64_t initials; /* of all of these: initial_of() */
    bool is_python;
    bool is_windows;
};

struct verdict {
    struct process *process;
    struct arena *arena;
    struct evidence *evidence;
    size_t evidence_count;
    struct runtime *runtimes;
    size_t runtime_count;
};

static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* A bit for the first byte. Most fingerprints begin with one that no name of a process has. */
static uint64_t initial_of(struct raw_text raw)
{
    return raw.length > 0 ? UINT64_C(1) << (fold(raw.bytes[0]) & 63) : 0;
}

static bool begins(struct raw_text raw, const char *pattern)
{
    for (size_t i = 0; pattern[i] != '\0'; i++)
        if (i >= raw.length || fold(raw.bytes[i]) != pattern[i])
            return false;
    return true;
}

static bool equals(struct raw_text raw, const char *pattern)
{
    for (size_t i = 0; i < raw.length; i++)
        if (pattern[i] == '\0' || fold(raw.bytes[i]) != pattern[i])
            return false;
    return pattern[raw.length] == '\0';
}

static bool ends(struct raw_text raw, const char *pattern)
{
    size_t length = strlen(pattern);
    if (raw.length < length)
        return false;
    return begins((struct raw_text){raw.bytes + raw.length - length, length}, pattern);
}

static struct raw_text without_suffix(struct raw_text raw, const char *suffix)
{
    if (ends(raw, suffix))
        raw.length -= strlen(suffix);
    return raw;
}

static void split_arguments(struct raw_text command, struct names *names)
{
    while (command.length > 0 && names->argument_count < ARGUMENTS_MAX) {
        const char *end = memchr(command.bytes, '\0', command.length);
        size_t length = end ? (size_t)(end - command.bytes) : command.length;
        names->arguments[names->argument_count++] = (struct raw_text){command.bytes, length};
        size_t used = length + (end ? 1 : 0);
        command.bytes += used;
        command.length -= used;
    }
}

static void add_name(struct names *names, struct raw_text name)
{
    if (names->is_windows)
        name = without_suffix(name, ".exe");
    if (name.bytes && name.length > 0 && names->count < NAMES_MAX)
        names->names[names->count++] = name;
}

static bool is_interpreter(struct raw_text name, bool *is_python)
{
    static const char *const interpreters[] = {"node", "bash", "sh", "perl", "ruby", "uv"};
    if (begins(name, "python") || begins(name, "pypy")) {
        *is_python = true;
        return true;
    }
    for (size_t i = 0; i < sizeof interpreters / sizeof *interpreters; i++)
        if (equals(name, interpreters[i]))
            return true;
    return false;
}

/* The script after the interpreter's own flags, or the module of "-m". */
static struct raw_text script_of(const struct names *names)
{
    for (size_t i = 1; i < names->argument_count; i++) {
        struct raw_text argument = names->arguments[i];
        if (raw_equal_string(argument, "-m") && i + 1 < names->argument_count)
            return names->arguments[i + 1];
        if (raw_equal_string(argument, "-c"))
            break;
        bool takes_value = raw_equal_string(argument, "-X") || raw_equal_string(argument, "-W");
        if (takes_value)
            i++;
        else if (argument.length > 0 && argument.bytes[0] != '-')
            return without_suffix(path_basename(argument), ".py");
    }
    return (struct raw_text){0};
}

static void collect_names(const struct process_reading *process, struct names *names)
{
    struct raw_text executable = without_suffix(process->executable, " (deleted)");
    split_arguments(process->command, names);
    names->comm = process->name;
    names->executable = executable;
    add_name(names, process->name);
    add_name(names, path_basename(executable));
    if (names->argument_count > 0)
        add_name(names, path_basename(names->arguments[0]));
    bool interpreted = false;
    for (size_t i = 0; i < names->count; i++)
        interpreted |= is_interpreter(names->names[i], &names->is_python);
    if (interpreted)
        names->script = script_of(names);
    names->initials = initial_of(names->comm) | initial_of(names->script);
    for (size_t i = 0; i < names->count; i++)
        names->initials |= initial_of(names->names[i]);
    for (size_t i = 0; i < names->argument_count; i++)
        names->initials |= initial_of(names->arguments[i]);
}

/* What the fingerprint fits, or nothing. */
static struct raw_text fitting(const struct fingerprint *fingerprint, const struct names *names)
{
    const char *pattern = fingerprint->pattern;
    bool may_fit = (UINT64_C(1) << (pattern[0] & 63) & names->initials) != 0;
    if (fingerprint->match != MATCH_SUFFIX && fingerprint->match != MATCH_PATH && !may_fit)
        return (struct raw_text){0};
    switch (fingerprint->match) {
    case MATCH_COMM:
        if (equals(names->comm, pattern))
            return names->comm;
        break;
    case MATCH_SCRIPT:
        if (equals(names->script, pattern))
            return names->script;
        break;
    case MATCH_WORD:
        for (size_t i = 0; i < names->argument_count; i++)
            if (equals(names->arguments[i], pattern))
                return names->arguments[i];
        break;
    case MATCH_PATH:
        if (path_contains(names->executable, pattern))
            return names->executable;
        if (names->argument_count > 0 && path_contains(names->arguments[0], pattern))
            return names->arguments[0];
        break;
    case MATCH_NAME:
    case MATCH_PREFIX:
    case MATCH_SUFFIX:
        for (size_t i = 0; i < names->count; i++)
            if (fingerprint->match == MATCH_NAME     ? equals(names->names[i], pattern)
                : fingerprint->match == MATCH_PREFIX ? begins(names->names[i], pattern)
                                                     : ends(names->names[i], pattern))
                return names->names[i];
        break;
    }
    return (struct raw_text){0};
}

static void add_evidence(struct verdict *verdict, struct text kind, enum strength strength,
                         struct text detail)
{
    if (verdict->evidence_count < EVIDENCE_MAX)
        verdict->evidence[verdict->evidence_count++] =
            (struct evidence){.kind = kind, .strength = strength, .detail = detail};
}

static void add_runtime(struct verdict *verdict, const char *name)
{
    for (size_t i = 0; i < verdict->runtime_count; i++)
        if (text_equal_string(verdict->runtimes[i].name, name))
            return;
    if (name[0] && verdict->runtime_count < RUNTIMES_MAX)
        verdict->runtimes[verdict->runtime_count++] = (struct runtime){
            .name = text_from_raw(verdict->arena, raw_from_string(name)), .version = TEXT_NONE};
}

static int find_fingerprint(const struct names *names)
{
    for (int i = 0; i < FINGERPRINT_COUNT; i++)
        if (fitting(&fingerprints[i], names).length > 0)
            return i;
    return -1;
}

static bool match_fingerprints(struct verdict *verdict, const struct names *names,
                               struct classify_memory *memory)
{
    int place = memory && memory->known ? memory->fingerprint : find_fingerprint(names);
    if (memory)
        *memory = (struct classify_memory){.known = true, .fingerprint = place};
    if (place < 0)
        return false;
    const struct fingerprint *fingerprint = &fingerprints[place];
    bool by_name = fingerprint->match != MATCH_SCRIPT && fingerprint->match != MATCH_WORD;
    verdict->process->class = fingerprint->class;
    add_evidence(verdict, by_name ? TEXT("name") : TEXT("cmdline"), STRENGTH_HINT,
                 text_redact(verdict->arena, fitting(fingerprint, names)));
    add_runtime(verdict, fingerprint->runtime);
    return true;
}

/* A Windows program under Wine or Proton. */
static bool match_wine(struct verdict *verdict, const struct names *names)
{
    for (size_t i = 0; i < names->count && !names->is_windows; i++)
        if (ends(names->names[i], ".exe")) {
            verdict->process->class = CLASS_GAME;
            add_evidence(verdict, TEXT("name"), STRENGTH_HINT,
                         text_redact(verdict->arena, names->names[i]));
            add_runtime(verdict, "Wine");
            return true;
        }
    return false;
}

/* Runtimes that compute models, and nothing else: what has them is no game. */
static bool has_model_runtime(const struct classify_seen *seen)
{
    static const char *const names[] = {"Core ML",  "ONNX Runtime", "OpenVINO", "TensorRT",
                                        "DirectML", "Windows ML",   "ggml"};
    for (size_t i = 0; i < seen->runtime_count; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (strcmp(seen->runtimes[i].name, names[k]) == 0)
                return true;
    return false;
}

/* What draws that much is a game or a 3D program, where nothing more is known of it (SPEC section
 * 4; Metal has one load for all that it does). */
static const double drawing_percent = 10;

/* What it does with the GPU, where nothing more is known of it. */
static void match_use(struct verdict *verdict, const struct classify_seen *seen,
                      const struct names *names)
{
    bool computes = (seen->is_metal && names->is_python) || seen->holds_kfd ||
                    seen->has_compute_load || seen->use == GPU_USE_COMPUTE ||
                    seen->use == GPU_USE_BOTH;
    if (names->is_python && computes) {
        verdict->process->class = CLASS_PYTHON_AI;
        add_evidence(verdict, TEXT("name"), STRENGTH_HINT,
                     TEXT("a Python program with a compute context"));
    } else if (seen->has_video_load && !seen->has_compute_load && !seen->has_graphics_load) {
        verdict->process->class = CLASS_VIDEO;
        add_evidence(verdict, TEXT("open_file"), STRENGTH_HINT,
                     TEXT("a GPU of which it loads only the video engines"));
    } else if (seen->is_windows && !names->is_python && seen->graphics_percent > drawing_percent &&
               !has_model_runtime(seen)) {
        verdict->process->class = CLASS_GAME;
        add_evidence(verdict, TEXT("api"), STRENGTH_HINT, TEXT("it loads a 3D engine"));
    } else if (seen->is_metal && seen->load_percent > drawing_percent && !has_model_runtime(seen)) {
        verdict->process->class = CLASS_GAME;
        add_evidence(verdict, TEXT("api"), STRENGTH_HINT,
                     TEXT("a Metal client with more than 10 % load"));
    }
}

/* What its libraries prove: runtimes; and, where nothing else is known of it, what such a program
 * most likely does. */
static void match_libraries(struct verdict *verdict, const struct classify_seen *seen)
{
    const struct runtime_found *found = seen->runtimes;
    for (size_t i = 0; i < seen->runtime_count; i++) {
        add_runtime(verdict, found[i].name);
        bool decides = verdict->process->class == CLASS_OTHER && found[i].class != CLASS_OTHER;
        if (decides)
            verdict->process->class = found[i].class;
        if (decides || i == 0)
            add_evidence(verdict, TEXT("mapped"), decides ? STRENGTH_HINT : STRENGTH_PROOF,
                         text_redact(verdict->arena, path_basename(found[i].library)));
    }
}

/* Training is more than PyTorch: it writes an event log, or runs as one of several ranks. */
static void match_training(struct verdict *verdict, const struct classify_seen *seen)
{
    if (verdict->process->class != CLASS_PYTHON_AI)
        return;
    if (seen->training_file.length > 0)
        add_evidence(verdict, TEXT("open_file"), STRENGTH_STRONG,
                     text_redact(verdict->arena, path_basename(seen->training_file)));
    else if (seen->has_rank)
        add_evidence(verdict, TEXT("cmdline"), STRENGTH_HINT,
                     TEXT("RANK, WORLD_SIZE in its environment"));
    else
        return;
    verdict->process->class = CLASS_TRAINING;
}

void classify_by_models(struct process *process)
{
    static const enum process_class classes[MODEL_KIND_COUNT] = {
        [MODEL_LLM] = CLASS_LLM,           [MODEL_EMBEDDING] = CLASS_EMBEDDING,
        [MODEL_DECISION] = CLASS_DECISION, [MODEL_SPEECH] = CLASS_SPEECH,
        [MODEL_VISION] = CLASS_VISION,     [MODEL_DIFFUSION] = CLASS_DIFFUSION,
    };
    enum process_class found = CLASS_OTHER;
    switch (process->class) {
    case CLASS_OTHER:
    case CLASS_PYTHON_AI:
    case CLASS_LLM:
    case CLASS_EMBEDDING:
    case CLASS_DECISION:
    case CLASS_SPEECH:
    case CLASS_VISION:
        break;
    default:
        return;
    }
    for (size_t i = 0; i < process->model_count; i++) {
        enum process_class class = classes[process->models[i].kind];
        if (class == CLASS_LLM || (found == CLASS_OTHER && class != CLASS_OTHER))
            found = class;
    }
    if (found != CLASS_OTHER)
        process->class = found;
}

void classify(struct arena *arena, const struct classify_seen *seen, struct process *process)
{
    struct verdict verdict = {
        .process = process,
        .arena = arena,
        .evidence = ARENA_ARRAY(arena, struct evidence, EVIDENCE_MAX),
        .runtimes = ARENA_ARRAY(arena, struct runtime, RUNTIMES_MAX),
    };
    struct names names = {.is_windows = seen->is_windows};

    process->class = CLASS_OTHER;
    if (seen->process)
        collect_names(seen->process, &names);
    if (seen->holds_kfd) {
        add_evidence(&verdict, TEXT("open_file"), STRENGTH_PROOF, TEXT("/dev/kfd"));
        add_runtime(&verdict, "HIP");
    }
    bool known = match_fingerprints(&verdict, &names, seen->memory) || match_wine(&verdict, &names);
    match_libraries(&verdict, seen);
    if (!known && process->class == CLASS_OTHER)
        match_use(&verdict, seen, &names);
    match_training(&verdict, seen);
    process->evidence =
        (struct evidence_list){.items = verdict.evidence, .count = verdict.evidence_count};
    process->runtimes = verdict.runtimes;
    process->runtime_count = verdict.runtime_count;
}
