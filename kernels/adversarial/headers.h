#ifndef HEADERS_H
#define HEADERS_H
static unsigned rng_state = 12345;
static inline unsigned rng_next(void) { rng_state = rng_state * 1103515245u + 12345u; return rng_state >> 8; }
static inline double rng_unit(void) { return (rng_next() & 1023) / 1024.0; }
static int hdr_pos, hdr_mark; static int hdr_buf[4096];
static inline void hdr_push(int v) { hdr_buf[hdr_pos++] = v; }
static inline int hdr_ticket(void) { static int t; return t++; }
static inline int hdr_step(int *s, int x) { *s = (*s * 3 + x) & 1023; return *s >> 1; }
static inline void hdr_add(int *s, int x) { *s += x; }
static inline void hdr_max(int *s, int x) { if (x > *s) *s = x; }
static inline double hdr_smooth(double x) { static double y; y = (y + x) * 0.5; return y; }
static inline int hdr_tmp(int x) { hdr_mark = x * 2; return hdr_mark + 1; }
static double hdr_scratch[16];
static inline double hdr_work(double x) { for (int k = 0; k < 16; k++) hdr_scratch[k] = x * k; double s = 0; for (int k = 0; k < 16; k++) s += hdr_scratch[k] * (k & 1 ? 1 : 2); return s; }
#define put_next(v) (outp[pos++] = (v))
#define take(v) (v += stride0)
#define AT1(a, i) (a)[(i)-1]
#define setprev(v) prev = (v)
#define each_i(n) for (int i = 0; i < (n); i++)
#define bump(x) x++
#define accumulate(v) total = total * 2 + (v)
struct ring { int b[8]; int h; };
static inline int ring_put(struct ring *r, int v) { int o = r->b[r->h]; r->b[r->h] = v; r->h = (r->h + 1) & 7; return o; }
struct lfsr { unsigned s; };
static inline unsigned lfsr_next(struct lfsr *l) { unsigned lsb = l->s & 1; l->s >>= 1; if (lsb) l->s ^= 0xB400u; return l->s & 63; }
static inline struct lfsr lfsr_adv(struct lfsr l) { l.s = l.s * 5 + 1; return l; }
#endif
