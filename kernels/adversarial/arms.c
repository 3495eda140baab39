/* Arms of conditional compilation whose conditions are read wrongly with ease: what was compiled carries, the other arm does not. */
//: compile -DWIN32 -DGIVEN=1
#include "common.h"

/* What a header does to a macro holds behind its `#include`. */
#define MODE 1
#include "changing.h"
#if MODE == 1
#define SET_HEADER t = a[i] * 1.5
#else
#define SET_HEADER if (a[i] > -1) t = a[i]
#endif
ALONE void header(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
        SET_HEADER;
        b[i] = t * 2;
    }
}
ALONE void header_inside(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
#if MODE == 1
        t = a[i] * 1.5;
#else
        if (a[i] > -1) t = a[i];
#endif
        b[i] = t * 2;
    }
}
/* Integers without a sign. */
#if -1 > 0u
#define SET_UNSIGNED_LESS if (a[i] > -1) t = a[i]
#else
#define SET_UNSIGNED_LESS t = a[i] * 1.5
#endif
ALONE void unsigned_less(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
        SET_UNSIGNED_LESS;
        b[i] = t * 2;
    }
}
ALONE void unsigned_less_inside(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
#if -1 > 0u
        if (a[i] > -1) t = a[i];
#else
        t = a[i] * 1.5;
#endif
        b[i] = t * 2;
    }
}
#if (-1) / 2u > 5
#define SET_UNSIGNED_HALF if (a[i] > -1) t = a[i]
#else
#define SET_UNSIGNED_HALF t = a[i] * 1.5
#endif
ALONE void unsigned_half(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
        SET_UNSIGNED_HALF;
        b[i] = t * 2;
    }
}
ALONE void unsigned_half_inside(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
#if (-1) / 2u > 5
        if (a[i] > -1) t = a[i];
#else
        t = a[i] * 1.5;
#endif
        b[i] = t * 2;
    }
}
/* Texts stand where macros are used, not where they are defined. */
#define LATER 1
#define ASKED LATER
#undef LATER
#define LATER 0
#if ASKED
#define SET_AT_USE t = a[i] * 1.5
#else
#define SET_AT_USE if (a[i] > -1) t = a[i]
#endif
ALONE void at_use(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
        SET_AT_USE;
        b[i] = t * 2;
    }
}
ALONE void at_use_inside(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
#if ASKED
        t = a[i] * 1.5;
#else
        if (a[i] > -1) t = a[i];
#endif
        b[i] = t * 2;
    }
}
#define SUM 1 + 1
#if SUM * 2 == 4
#define SET_AS_TEXT t = a[i] * 1.5
#else
#define SET_AS_TEXT if (a[i] > -1) t = a[i]
#endif
ALONE void as_text(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
        SET_AS_TEXT;
        b[i] = t * 2;
    }
}
ALONE void as_text_inside(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
#if SUM * 2 == 4
        t = a[i] * 1.5;
#else
        if (a[i] > -1) t = a[i];
#endif
        b[i] = t * 2;
    }
}
#define NEGATIVE -1
#if 5 - NEGATIVE == 6 && -NEGATIVE == 1
#define SET_NEGATIVE if (a[i] > -1) t = a[i]
#else
#define SET_NEGATIVE t = a[i] * 1.5
#endif
ALONE void negative(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
        SET_NEGATIVE;
        b[i] = t * 2;
    }
}
ALONE void negative_inside(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
#if 5 - NEGATIVE == 6 && -NEGATIVE == 1
        if (a[i] > -1) t = a[i];
#else
        t = a[i] * 1.5;
#endif
        b[i] = t * 2;
    }
}
/* Lines that are joined. */
#define KEPT
// no directive: \
#undef KEPT
#ifdef KEPT
#define SET_COMMENT if (a[i] > -1) t = a[i]
#else
#define SET_COMMENT t = a[i] * 1.5
#endif
ALONE void comment(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
        SET_COMMENT;
        b[i] = t * 2;
    }
}
ALONE void comment_inside(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
#ifdef KEPT
        if (a[i] > -1) t = a[i];
#else
        t = a[i] * 1.5;
#endif
        b[i] = t * 2;
    }
}
#def\
ine JOINED 1
#ifdef JOINED
#define SET_WORD if (a[i] > -1) t = a[i]
#else
#define SET_WORD t = a[i] * 1.5
#endif
ALONE void word(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
        SET_WORD;
        b[i] = t * 2;
    }
}
ALONE void word_inside(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
#ifdef JOINED
        if (a[i] > -1) t = a[i];
#else
        t = a[i] * 1.5;
#endif
        b[i] = t * 2;
    }
}
%:define DIGRAPH 1
#ifdef DIGRAPH
#define SET_DIGRAPH if (a[i] > -1) t = a[i]
#else
#define SET_DIGRAPH t = a[i] * 1.5
#endif
ALONE void digraph(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
        SET_DIGRAPH;
        b[i] = t * 2;
    }
}
ALONE void digraph_inside(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
#ifdef DIGRAPH
        if (a[i] > -1) t = a[i];
#else
        t = a[i] * 1.5;
#endif
        b[i] = t * 2;
    }
}
#if 1 /*
*/ == 2
#define SET_OVER_LINES t = a[i] * 1.5
#else
#define SET_OVER_LINES if (a[i] > -1) t = a[i]
#endif
ALONE void over_lines(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
        SET_OVER_LINES;
        b[i] = t * 2;
    }
}
ALONE void over_lines_inside(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
#if 1 /*
*/ == 2
        t = a[i] * 1.5;
#else
        if (a[i] > -1) t = a[i];
#endif
        b[i] = t * 2;
    }
}
static const char *text = "a\
#undef TEXTUAL \
";
#define TEXTUAL
#ifdef TEXTUAL
#define SET_STRING if (a[i] > -1) t = a[i]
#else
#define SET_STRING t = a[i] * 1.5
#endif
ALONE void string(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
        SET_STRING;
        b[i] = t * 2;
    }
}
ALONE void string_inside(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
#ifdef TEXTUAL
        if (a[i] > -1) t = a[i];
#else
        t = a[i] * 1.5;
#endif
        b[i] = t * 2;
    }
}
/* Names that the command line gives. */
#ifdef WIN32
#define SET_GIVEN if (a[i] > -1) t = a[i]
#else
#define SET_GIVEN t = a[i] * 1.5
#endif
ALONE void given(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
        SET_GIVEN;
        b[i] = t * 2;
    }
}
ALONE void given_inside(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
#ifdef WIN32
        if (a[i] > -1) t = a[i];
#else
        t = a[i] * 1.5;
#endif
        b[i] = t * 2;
    }
}
#if GIVEN == 1
#define SET_GIVEN_VALUE if (a[i] > -1) t = a[i]
#else
#define SET_GIVEN_VALUE t = a[i] * 1.5
#endif
ALONE void given_value(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
        SET_GIVEN_VALUE;
        b[i] = t * 2;
    }
}
ALONE void given_value_inside(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
#if GIVEN == 1
        if (a[i] > -1) t = a[i];
#else
        t = a[i] * 1.5;
#endif
        b[i] = t * 2;
    }
}
#if GIVEN > 1
#define SET_GIVEN_MORE t = a[i] * 1.5
#else
#define SET_GIVEN_MORE if (a[i] > -1) t = a[i]
#endif
ALONE void given_more(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
        SET_GIVEN_MORE;
        b[i] = t * 2;
    }
}
ALONE void given_more_inside(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
#if GIVEN > 1
        t = a[i] * 1.5;
#else
        if (a[i] > -1) t = a[i];
#endif
        b[i] = t * 2;
    }
}
#ifndef GIVEN
#define GIVEN 0
#endif
#if GIVEN
#define SET_DEFAULT_VALUE if (a[i] > -1) t = a[i]
#else
#define SET_DEFAULT_VALUE t = a[i] * 1.5
#endif
ALONE void default_value(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
        SET_DEFAULT_VALUE;
        b[i] = t * 2;
    }
}
ALONE void default_value_inside(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
#if GIVEN
        if (a[i] > -1) t = a[i];
#else
        t = a[i] * 1.5;
#endif
        b[i] = t * 2;
    }
}
/* Macros that are kept and taken back. */
#define PUSHED 1
#pragma push_macro("PUSHED")
#undef PUSHED
#define PUSHED 0
#pragma pop_macro("PUSHED")
#if PUSHED
#define SET_PUSHED if (a[i] > -1) t = a[i]
#else
#define SET_PUSHED t = a[i] * 1.5
#endif
ALONE void pushed(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
        SET_PUSHED;
        b[i] = t * 2;
    }
}
ALONE void pushed_inside(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
#if PUSHED
        if (a[i] > -1) t = a[i];
#else
        t = a[i] * 1.5;
#endif
        b[i] = t * 2;
    }
}
/* A header whose name a macro has. */
#define NAMED "changing.h"
#undef MODE
#define MODE 1
#include NAMED
#if MODE == 1
#define SET_BY_MACRO t = a[i] * 1.5
#else
#define SET_BY_MACRO if (a[i] > -1) t = a[i]
#endif
ALONE void by_macro(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
        SET_BY_MACRO;
        b[i] = t * 2;
    }
}
ALONE void by_macro_inside(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
#if MODE == 1
        t = a[i] * 1.5;
#else
        if (a[i] > -1) t = a[i];
#endif
        b[i] = t * 2;
    }
}
#include <limits.h>
#if UINT_MAX > -1
#define SET_LIMITS t = a[i] * 1.5
#else
#define SET_LIMITS if (a[i] > -1) t = a[i]
#endif
ALONE void limits(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
        SET_LIMITS;
        b[i] = t * 2;
    }
}
ALONE void limits_inside(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
#if UINT_MAX > -1
        t = a[i] * 1.5;
#else
        if (a[i] > -1) t = a[i];
#endif
        b[i] = t * 2;
    }
}
#if 1 ? 0 : 1
#define SET_CHOICE t = a[i] * 1.5
#else
#define SET_CHOICE if (a[i] > -1) t = a[i]
#endif
ALONE void choice(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
        SET_CHOICE;
        b[i] = t * 2;
    }
}
ALONE void choice_inside(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
#if 1 ? 0 : 1
        t = a[i] * 1.5;
#else
        if (a[i] > -1) t = a[i];
#endif
        b[i] = t * 2;
    }
}
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 50;
    double *a = (double *)calloc(n, sizeof *a), *b = (double *)calloc(n, sizeof *b);
    for (int i = 0; i < n; i++) a[i] = i; //= yes
    header(b, a, n);
    header_inside(b, a, n);
    unsigned_less(b, a, n);
    unsigned_less_inside(b, a, n);
    unsigned_half(b, a, n);
    unsigned_half_inside(b, a, n);
    at_use(b, a, n);
    at_use_inside(b, a, n);
    as_text(b, a, n);
    as_text_inside(b, a, n);
    negative(b, a, n);
    negative_inside(b, a, n);
    comment(b, a, n);
    comment_inside(b, a, n);
    word(b, a, n);
    word_inside(b, a, n);
    digraph(b, a, n);
    digraph_inside(b, a, n);
    over_lines(b, a, n);
    over_lines_inside(b, a, n);
    string(b, a, n);
    string_inside(b, a, n);
    given(b, a, n);
    given_inside(b, a, n);
    given_value(b, a, n);
    given_value_inside(b, a, n);
    given_more(b, a, n);
    given_more_inside(b, a, n);
    default_value(b, a, n);
    default_value_inside(b, a, n);
    pushed(b, a, n);
    pushed_inside(b, a, n);
    by_macro(b, a, n);
    by_macro_inside(b, a, n);
    limits(b, a, n);
    limits_inside(b, a, n);
    choice(b, a, n);
    choice_inside(b, a, n);
    show_reals("b", b, n);
    puts(text);
    return 0;
}
