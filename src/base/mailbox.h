/* A mailbox holds the newest of something: a writer replaces it, readers take it. Items are owned
 * by the mailbox until taken; a replaced item is given to `discard`. */
#ifndef BASE_MAILBOX_H
#define BASE_MAILBOX_H

struct mailbox;

struct mailbox *mailbox_new(void (*discard)(void *item));
void mailbox_free(struct mailbox **mailbox);
/* Puts an item in; the mailbox owns it now. */
void mailbox_put(struct mailbox *mailbox, void *item);
/* Takes the item out (the caller owns it), or NULL. Never blocks for longer than a pointer swap. */
void *mailbox_take(struct mailbox *mailbox);

#endif
