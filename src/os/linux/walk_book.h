/* The books of the walk: what is remembered of every process between two refreshes. */
#ifndef OS_LINUX_WALK_BOOK_H
#define OS_LINUX_WALK_BOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "os/linux/proc_door.h"
#include "reading/process.h"

enum book_kind { BOOK_UNKNOWN, BOOK_USER, BOOK_KERNEL, BOOK_ZOMBIE };

/* Belongs to the process as long as the inode of its folder stays and, where that was made anew,
 * the start stamp. */
struct walk_book {
    uint64_t inode, start_stamp;
    int64_t looked_at_ns; /* running clock */
    struct device_file *files;
    uint32_t file_count;
    uint32_t first_walk, looked_walk;
    int32_t pid;
    int32_t descriptor_count;
    uint8_t kind;
    bool has_stamp, looked, refused, incomplete;
    /* Since the last look: the folder was made anew, or the number of descriptors was another one.
     */
    bool renewed, changed;
    /* In this walk. */
    uint8_t urgency;
    bool gone, clear;
};

/* Ascending by pid. */
struct walk_book_list {
    struct walk_book *items;
    size_t count, capacity;
};

struct walk_books {
    struct walk_book *items;
    size_t count, capacity;
    struct walk_book_list spare; /* the array of the walk before, used again */
};

void walk_books_free(struct walk_books *books);
/* Keeps the books of the processes that are listed now (ascending by pid) and opens new ones. A
 * folder made anew keeps its book until a look tells whether it is the same process. */
void walk_books_merge(struct walk_books *books, const struct proc_entry *entries, size_t count,
                      uint32_t walk);
/* Closes the books of processes that ended during the walk. */
void walk_books_drop_gone(struct walk_books *books);
void walk_book_keep_files(struct walk_book *book, const struct device_file *files, size_t count);

#endif
