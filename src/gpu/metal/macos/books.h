/* The kernel's books of a process's memory: the ledger call for every process that permits it, and
 * the same balances by a name port, for own processes, where that call gives no names. The calls
 * are a table: metal_door.c has the real ones, a test its own. Sources: xnu bsd/sys/ledger.h (no
 * public header has it), osfmk/mach/task_info.h. */
#ifndef GPU_METAL_MACOS_BOOKS_H
#define GPU_METAL_MACOS_BOOKS_H

#include "base/arena.h"
#include "gpu/metal/metal_sample.h"

struct ledger_template {
    char name[32], group[32], units[32];
};
struct ledger_entry {
    int64_t balance, credit, debit;
    uint64_t limit, refill_period, last_refill;
};
_Static_assert(sizeof(struct ledger_template) == 96 && sizeof(struct ledger_entry) == 48,
               "xnu bsd/sys/ledger.h");

enum { LEDGER_ENTRY_INFO = 1, LEDGER_TEMPLATE_INFO = 2 };

/* struct task_vm_info: what is used of it. */
enum { TASK_BYTES = 400, TASK_COMPLETE_BYTES = 336 /* TASK_VM_INFO_REV3_COUNT */ };

struct book_calls {
    /* ledger(); 0, or an errno. LEDGER_TEMPLATE_INFO: templates, count; LEDGER_ENTRY_INFO: the
     * process's number as a pointer, entries, count. The count is what there is room for, then
     * what is there. */
    int (*ledger)(int command, void *first, void *second, void *third);
    /* task_info(TASK_VM_INFO) through a name port, which is given back. How many bytes of `info`
     * (TASK_BYTES) were filled in; 0: not permitted or gone. */
    size_t (*task)(int pid, void *info);
};

/* Zeroed but for the calls: no names yet. */
struct books {
    const struct book_calls *calls;
    bool by_task; /* the names are those of the name port's balances */
};

void books_names(struct books *books, struct arena *arena, struct metal_ledger_names *names);
void books_read(const struct books *books, int64_t pid, size_t count, struct metal_ledger *ledger);

#endif
