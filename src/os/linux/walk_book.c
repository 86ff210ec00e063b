#include "os/linux/walk_book.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

static void forget_files(struct walk_book *book)
{
    free(book->files);
    book->files = NULL;
    book->file_count = 0;
}

void walk_books_free(struct walk_books *books)
{
    for (size_t i = 0; i < books->count; i++)
        forget_files(&books->items[i]);
    VECTOR_FREE(books);
    VECTOR_FREE(&books->spare);
}

void walk_books_merge(struct walk_books *books, const struct proc_entry *entries, size_t count,
                      uint32_t walk)
{
    struct walk_book_list new = books->spare;
    size_t at = 0;
    new.count = 0;
    for (size_t i = 0; i < count; i++) {
        while (at < books->count && books->items[at].pid < entries[i].pid)
            forget_files(&books->items[at++]);
        struct walk_book book = {
            .pid = entries[i].pid, .inode = entries[i].inode, .first_walk = walk};
        if (at < books->count && books->items[at].pid == entries[i].pid) {
            book = books->items[at++];
            book.renewed = book.renewed || book.inode != entries[i].inode;
            book.inode = entries[i].inode;
            book.clear = false;
        }
        VECTOR_PUSH(&new, book);
    }
    while (at < books->count)
        forget_files(&books->items[at++]);
    books->spare = (struct walk_book_list){books->items, 0, books->capacity};
    books->items = new.items;
    books->count = new.count;
    books->capacity = new.capacity;
}

void walk_books_drop_gone(struct walk_books *books)
{
    size_t kept = 0;
    for (size_t i = 0; i < books->count; i++) {
        if (books->items[i].gone)
            forget_files(&books->items[i]);
        else
            books->items[kept++] = books->items[i];
    }
    books->count = kept;
}

void walk_book_keep_files(struct walk_book *book, const struct device_file *files, size_t count)
{
    if (book->file_count != count)
        forget_files(book);
    if (count == 0)
        return;
    if (!book->files)
        book->files = memory_grow(NULL, count, sizeof *book->files);
    book->file_count = (uint32_t)count;
    memcpy(book->files, files, count * sizeof *book->files);
}
