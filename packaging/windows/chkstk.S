// What the compiler calls before a frame of more than a page: every page is touched in its order, since Windows grows a stack by
// the one guard page below it. In: x15, the frame's size in units of 16 bytes. Changes x16 and x17 alone. (Microsoft's ARM64 calling
// convention. Debian has no compiler-rt for this target, and this is all of it that is used.)
    .text
    .globl __chkstk
    .p2align 2
__chkstk:
    lsl     x16, x15, #4
    mov     x17, sp
1:  subs    x16, x16, #4096
    b.lo    2f
    sub     x17, x17, #4096
    ldr     xzr, [x17]
    b       1b
2:  add     x16, x16, #4096
    sub     x17, x17, x16
    ldr     xzr, [x17]
    ret
