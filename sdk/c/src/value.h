/* Values of settings and of JSON texts. */
#ifndef TUFFET_VALUE_H
#define TUFFET_VALUE_H

#include "../tuffet.h"

struct tuffet_value {
    tuffet_kind kind;
    const tuffet_value *parent;
    /* NULL for an element of a list. */
    const char *key;
    /* Among the elements of its parent. */
    size_t index;
    const tuffet_value *first, *next;
    size_t size;
    /* Of a text: without its quotes and escapes. */
    const char *text;
    size_t length;
    /* As it was written; the byte behind it belongs to something else. */
    const char *json;
    size_t json_length;
};

/* Problems that tuffet_problem found, in order. */
typedef struct tuffet_problem_found {
    const char *pointer;
    const char *message;
    struct tuffet_problem_found *next;
} tuffet_problem_found;

/* From now on, problems are collected. */
void tuffet_collect_problems(void);

/* Ends that, and returns the problems. */
const tuffet_problem_found *tuffet_collected_problems(void);

#endif
