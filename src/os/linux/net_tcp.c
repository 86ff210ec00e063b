#include "os/linux/net_tcp.h"

#include "base/lines.h"
#include "base/number.h"

enum { STATE_LISTEN = 0x0A, WORD_DIGITS = 8, WORD_BYTES = 4 };

/* The kernel prints an address in words of 32 bits, each as a number of the machine: first byte
 * last. */
static bool parse_address(struct raw_text text, size_t words, unsigned char *address)
{
    if (text.length != words * WORD_DIGITS)
        return false;
    for (size_t i = 0; i < words; i++) {
        uint64_t value;
        struct raw_text word = {text.bytes + i * WORD_DIGITS, WORD_DIGITS};
        if (!number_parse_hex(word, &value, NULL))
            return false;
        for (size_t k = 0; k < WORD_BYTES; k++)
            *address++ = (unsigned char)(value >> 8 * k & 0xff);
    }
    return true;
}

bool net_tcp_parse(struct raw_text line, bool is_v6, struct listening_socket *socket)
{
    struct raw_text words[10], address, port;
    size_t count = 0;
    uint64_t number, state;
    while (count < sizeof words / sizeof *words && words_next(&line, &words[count]))
        count++;
    *socket = (struct listening_socket){.is_v6 = is_v6};
    /* sl local remote state queues timer retransmits uid timeout inode */
    if (count < 10 || !raw_split(words[1], ':', &address, &port) ||
        !number_parse_hex(words[3], &state, NULL) || state != STATE_LISTEN ||
        !number_parse_hex(port, &number, NULL) || number == 0 || number > 65535 ||
        !number_parse_u64(words[9], &socket->inode, NULL) || socket->inode == 0)
        return false;
    socket->port = (int)number;
    return parse_address(address, is_v6 ? 4 : 1, socket->address);
}
