/* Arrays of three dimensions with sizes known to the compiler: sums along each of them. */
#include <stdio.h>
#include <stdlib.h>

static double cube[6][5][4], faces[3][6][5];

static void sums(int repeats)
{
    for (int t = 0; t < repeats; t++)
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 5; j++)
                for (int k = 0; k < 4; k++) {
                    cube[i][j][k] += i + j - k;
                    faces[0][i][j] += cube[i][j][k];
                    faces[1][i][k] += cube[i][j][k];
                    faces[2][j][k] += cube[i][j][k];
                }
}

int main(int argc, char **argv)
{
    int repeats = argc > 1 ? atoi(argv[1]) : 2;
    sums(repeats);
    double check = 0;
    for (int i = 0; i < 90; i++)
        check += (&faces[0][0][0])[i];
    printf("%.9f\n", check);
    return 0;
}
