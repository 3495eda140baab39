/* Pixels of three colours are taken apart and made grey: steps of three elements. */
#include <stdio.h>
#include <stdlib.h>

static void apart(int n, const unsigned char *pixels, unsigned char *red, unsigned char *green, unsigned char *blue)
{
    for (int i = 0; i < n; i++) {
        red[i] = pixels[3 * i];
        green[i] = pixels[3 * i + 1];
        blue[i] = pixels[3 * i + 2];
    }
}

static void grey(int n, unsigned char *pixels)
{
    for (int i = 0; i < 3 * n; i += 3)
        pixels[i] = pixels[i + 1] = pixels[i + 2] = (unsigned char)((pixels[i] + pixels[i + 1] + pixels[i + 2]) / 3);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 7;
    unsigned char *pixels = malloc(3 * n);
    unsigned char *red = malloc(n);
    unsigned char *green = malloc(n);
    unsigned char *blue = malloc(n);
    for (int i = 0; i < 3 * n; i++)
        pixels[i] = (unsigned char)(i * 37);
    apart(n, pixels, red, green, blue);
    grey(n, pixels);
    long check = 0;
    for (int i = 0; i < n; i++)
        check += red[i];
    printf("%ld\n", check);
    return 0;
}
