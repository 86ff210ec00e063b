/* One AMD card as ADL tells it. */
#ifndef GPU_ADL_DEVICE_H
#define GPU_ADL_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/adl/adl_cards.h"
#include "gpu/adl/adl_library.h"
#include "reading/adapter.h"

enum { ADL_NOTE_SIZE = 192 };

struct adl_device {
    int32_t indexes[ADL_CARD_INDEXES_MAX]; /* ADL's adapters of this card */
    size_t index_count;
    size_t answering; /* the one whose sensors answered last */
    int32_t memory_index;
    bool is_apu, with_cpu; /* with_cpu: the power shown includes the CPU's */
    int code;              /* of the sensors, last */
    int64_t slow_at_ns;    /* running clock; INT64_MIN: never */
    char name[ADL_TEXT_SIZE];
    /* ADL's own count: a check of the system's, shown in words only. */
    struct measured vram_total_bytes, vram_used_bytes;
    char note[ADL_NOTE_SIZE]; /* for people; "" when there is none */
    struct adapter_reading said;
};

/* Reads what never changes. */
void adl_device_start(struct adl_device *device, const struct adl_library *library,
                      const struct adl_card *card, int32_t index);
/* Asks what is due and fills `said`. `everything`: whatever was read when. */
void adl_device_read(struct adl_device *device, const struct adl_library *library, int64_t now_ns,
                     bool everything);

#endif
