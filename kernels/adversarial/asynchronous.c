/* Signal handlers that share objects with a loop. */
#include "common.h"
#include <signal.h>
#include <sys/time.h>

static volatile sig_atomic_t ticks;
static volatile int handled;

static void tick(int signal) {
    (void)signal;
    ticks++;
    handled += 2;
}
/* Reads what the handler writes, between signals that it sends itself. */
ALONE void read_by_the_loop(int *out, int n) {
    for (int i = 0; i < n; i++) { //= unknown
        if (i % 10 == 5) raise(SIGUSR1);
        out[i] = ticks;
    }
}
ALONE void written_by_both(int n) {
    for (int i = 0; i < n; i++) { //= unknown
        if (i % 10 == 5) raise(SIGUSR1);
        ticks += 10;
    }
}
ALONE long waited(void) {
    long spins = 0;
    int until = ticks + 1;
    while (ticks < until) //= unknown
        spins++;
    return spins;
}
ALONE void after_all(int *out, int n) {
    for (int i = 0; i < n; i++) //= yes
        out[i] = i * 3;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 80, *out = zeros(n);
    signal(SIGUSR1, tick);
    signal(SIGALRM, tick);
    read_by_the_loop(out, n);
    show("read", out, n);
    written_by_both(n);
    printf("%d\n", (int)ticks);
    struct itimerval once = {{0, 0}, {0, 20000}};
    setitimer(ITIMER_REAL, &once, NULL);
    printf("%d\n", waited() > 0);
    after_all(out, n);
    show("after_all", out, n);
    return 0;
}
