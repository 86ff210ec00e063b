#include "base/mailbox.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/fatal.h"

struct mailbox {
    _Atomic(void *) item;
    void (*discard)(void *item);
};

struct mailbox *mailbox_new(void (*discard)(void *item))
{
    struct mailbox *mailbox = memory_new(sizeof *mailbox);

    atomic_init(&mailbox->item, NULL);
    mailbox->discard = discard;
    return mailbox;
}

void mailbox_free(struct mailbox **mailbox)
{
    if (!*mailbox)
        return;
    mailbox_put(*mailbox, NULL);
    free(*mailbox);
    *mailbox = NULL;
}

void mailbox_put(struct mailbox *mailbox, void *item)
{
    void *old = atomic_exchange(&mailbox->item, item);

    if (old && mailbox->discard)
        mailbox->discard(old);
}

void *mailbox_take(struct mailbox *mailbox)
{
    return atomic_exchange(&mailbox->item, NULL);
}
