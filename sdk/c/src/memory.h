/* The memory of calls: taken piece by piece, and released as a whole. */
#ifndef TUFFET_MEMORY_H
#define TUFFET_MEMORY_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* Before `free` means something else. */
#include <stdlib.h>

/* The bindings free what the server handed over; it is released with the rest. */
#define free(memory) ((void)(memory))

/* Returns memory that is not zeroed. Never NULL. */
void *tuffet_take(size_t size, size_t align);

/* The same, for values of a type. */
#define TUFFET_NEW(type, count) ((type *)tuffet_take((count) * sizeof(type), _Alignof(type)))

/* As tuffet_format. */
char *tuffet_format_list(const char *format, va_list arguments);

/* Ends a call. Its answer is valid until the next one takes memory. */
void tuffet_call_ended(void);

/* Ends `configure`: what was taken so far is kept. */
void tuffet_configured(void);

/* A text that the server handed over: cabi_realloc has ended it with a zero byte, if it called that at all. */
#define TUFFET_TEXT(string) ((string).len ? (const char *)(string).ptr : "")
#define TUFFET_TEXT_OR_NULL(option) ((option).is_some ? TUFFET_TEXT((option).val) : NULL)
#define TUFFET_NUMBER_OF(option) ((tuffet_number){(option).is_some, (option).is_some ? (option).val : 0})

#endif
