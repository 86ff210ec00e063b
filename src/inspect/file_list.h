/* The files of a process while they are gathered: each once, whatever ways lead to it. Private to
 * gather_files.c and gather_named.c. */
#ifndef INSPECT_FILE_LIST_H
#define INSPECT_FILE_LIST_H

#include "inspect/gather_parts.h"

/* One more thing known of a file while the list is made. */
struct candidate {
    struct raw_text canonical;    /* in the tree, links resolved; bytes NULL: unknown */
    struct root_file_facts facts; /* inode 0: unknown */
    char place[GATHER_PATH_SIZE]; /* to read it by; "" when that is impossible */
    bool must_be_model;           /* its name promises nothing: kept only if its header does */
};

struct file_list {
    struct gathering *gathering;
    struct gathered_file *files;
    struct candidate *candidates; /* one a file */
    size_t count;
};

/* Adds a file, or what is new of it to the one that is there. NULL when the list is full. */
struct gathered_file *file_list_add(struct file_list *list, struct gathered_file file,
                                    struct candidate *candidate);
/* A model that the command line names: a file or folder, or a name that a hub knows. */
void file_list_add_named(struct file_list *list, const struct command_model *model);
/* A model folder that the command line names and what is mapped or open within it are one model. */
void file_list_join_folders(struct file_list *list);
void file_list_drop(struct file_list *list, size_t index);
/* Turns to the file in a model folder whose header stands for the whole. False: there is none. */
bool file_list_open_folder(struct file_list *list, struct gathered_file *file,
                           struct candidate *candidate);

#endif
