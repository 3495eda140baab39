#include <stdio.h>
static int g, *gp = &g;
extern double tab[10][20];
#define FOR(i,n) for (int i = 0; i < n; i++)
#if A
int x;
#else
typedef struct { int a; float b[3]; } S;
#endif
void f(int n, double *restrict a, S s, const S *p, int (*cb)(int)) {
  static int cnt = 0; register unsigned long j, k = 3;
  int m[3] = {1,2,3};
#pragma omp parallel for \
   private(j)
  for (j = 0, p = q; j < n && 1; j++, p += 2) { if (a[j] > 0) { s.x = 1; (*p).y = 2; *gp++ = 3; } else if (j) continue; else break; }
  for (int i = 0;;) switch (i) { case 1: case 2: x = 1; break; default: y = (int) x; }
  do x--; while (x > 0);
  while (n --> 0) f((int)n, &a[n], sizeof(int), x ? y : z);
  FOR(i, 10) { a[i] = 1; }
  FOR(i, 10) a[i] = 1;
lab: if (x && y || !z) goto lab;
  #ifdef Q
  for (;;) 
  #else
  while (1)
  #endif
  { x = 1; }
  int arr[n][m], v = 2;
  m[i][j+1] += -2;
  asm("nop");
  __thread int t; ({ int q = 1; q; });
  return;
}
int old(a, b) int a; float b; { return a; }
