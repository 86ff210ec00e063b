/* Calls chkstk.S under Linux on ARM (qemu-user will do): it keeps the stack pointer and x15, and
 * touches the frame's last byte. test.sh builds and runs it. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What x15 is afterwards; *touched: how far below the stack pointer it got. Traps when that moved.
 */
uint64_t call_chkstk(uint64_t units, uint64_t *touched);

__asm__(".globl call_chkstk\n"
        "call_chkstk:\n"
        "    stp x29, x30, [sp, #-16]!\n"
        "    mov x15, x0\n"
        "    mov x9, sp\n"
        "    bl  __chkstk\n"
        "    mov x10, sp\n"
        "    cmp x9, x10\n"
        "    b.ne 1f\n"
        "    sub x11, x10, x17\n"
        "    str x11, [x1]\n"
        "    mov x0, x15\n"
        "    ldp x29, x30, [sp], #16\n"
        "    ret\n"
        "1:  brk #1\n");

int main(void)
{
    static const uint64_t units[] = {1, 255, 256, 257, 511, 512, 513, 4096, 262144};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        uint64_t touched = 0;
        if (call_chkstk(units[i], &touched) != units[i] || touched != units[i] * 16) {
            printf("a frame of %llu bytes\n", (unsigned long long)units[i] * 16);
            return 1;
        }
    }
    return 0;
}
