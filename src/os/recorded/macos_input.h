/* The samples of a recorded Mac: input.json, format in docs/recorded-machines.md. Whoever needs a
 * part of a sample (os/recorded/macos.c: processes; gpu/metal/recorded.c: the rest) reads it from
 * here; the object is never changed, so that any thread may read it. */
#ifndef OS_RECORDED_MACOS_INPUT_H
#define OS_RECORDED_MACOS_INPUT_H

#include <jansson.h>
#include <stdatomic.h>

#include "base/arena.h"
#include "os/macos/macos.h"
#include "os/macos/mapped_files.h"
#include "os/recorded/script.h"
#include "reading/measured.h"

struct macos_input {
    json_t *root;
    char *folder;       /* of the files that it names */
    struct root *files; /* the same folder as the tree that paths of processes lead to; or NULL */
    _Atomic uint64_t sample; /* of the pass */
};

/* A machine from the bytes of an input.json; `script` has the folder, and is given the times. */
bool recorded_macos_new(struct machine **machine, struct sample_script *script, const char *bytes,
                        size_t size, struct problem *problem);
/* The recording behind a machine that is one. */
const struct macos_input *macos_input_of(const struct machine *machine);
/* "host"; NULL: there is none. */
const json_t *macos_input_host(const struct macos_input *input);
/* The sample of a pass: beyond the last one it stays the last. */
const json_t *macos_input_sample(const struct macos_input *input, uint64_t number);

/* The processes and the mapped files of the current sample (macos.c). */
void macos_input_processes(const struct macos_input *input, struct arena *arena,
                           struct macos_process_list *list);
void macos_input_mapped(const struct macos_input *input, struct arena *arena, int64_t pid,
                        struct macos_mapped_files *mapped);
/* NAME=VALUE, each followed by a NUL; bytes NULL: not recorded. */
struct raw_text macos_input_environment(const struct macos_input *input, struct arena *arena,
                                        int64_t pid);
/* macos_inside.c; `files` NULL: nothing can be seen. */
struct inside macos_input_inside(const struct root *files);

/* An integer; not_reported where it is none. Negative ones are integers too. */
struct measured macos_input_number(const json_t *value);
/* A registry id or an inode: an integer of 0 or more; 0 where it is none. */
uint64_t macos_input_id(const json_t *value);

#endif
