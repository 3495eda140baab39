/* Marks what Loopwright records of a program:
 *
 *     loopwright profile --region loopwright_begin:loopwright_end -- PROGRAM
 *
 * Recording goes on where loopwright_begin returns to and ends where loopwright_end is called, as often as that happens. Without
 * Loopwright both do nothing. Each file that includes this has functions of its own; all of them count.
 */
#ifndef LOOPWRIGHT_H
#define LOOPWRIGHT_H

#ifdef __cplusplus
extern "C" {
#endif

/* The texts differ, lest a compiler makes one function of both. */
__attribute__((noinline, unused)) static void loopwright_begin(void)
{
    __asm__ volatile("# begin" : : : "memory");
}

__attribute__((noinline, unused)) static void loopwright_end(void)
{
    __asm__ volatile("# end" : : : "memory");
}

#ifdef __cplusplus
}
#endif

#endif
