/* Products of complex numbers stored as pairs, and their conjugates from the last one down. */
#include <stdio.h>
#include <stdlib.h>

struct pair { float real, imaginary; };

static void multiply(int n, const struct pair *a, const struct pair *b, struct pair *c)
{
    for (int i = 0; i < n; i++) {
        c[i].real = a[i].real * b[i].real - a[i].imaginary * b[i].imaginary;
        c[i].imaginary = a[i].real * b[i].imaginary + a[i].imaginary * b[i].real;
    }
    for (int i = n - 1; i >= 0; i--)
        c[i].imaginary = -c[i].imaginary;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 8;
    struct pair *a = calloc(n, sizeof *a), *b = calloc(n, sizeof *b), *c = calloc(n, sizeof *c);
    for (int i = 0; i < n; i++)
        a[i].real = b[i].imaginary = (float)i;
    multiply(n, a, b, c);
    double check = 0;
    for (int i = 0; i < n; i++)
        check += c[i].imaginary;
    printf("%.9f\n", check);
    return 0;
}
