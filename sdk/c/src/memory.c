/*
 * Memory comes in chunks, from which pieces are taken one after the other. A call of a hook needs a few dozen pieces, and
 * a kept instance usually answers from its first chunk, without calling malloc.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../tuffet.h"
#include "memory.h"
/* Chunks are really freed. */
#undef free

/* Bytes of a chunk. Tests have a chunk for each piece, so that sanitizers find what leaves it. */
#ifndef TUFFET_CHUNK
#define TUFFET_CHUNK ((size_t)16 << 10)
#endif

#define ANY_TYPE _Alignof(max_align_t)

typedef struct chunk {
    struct chunk *older;
    size_t size;
    size_t used;
    _Alignas(ANY_TYPE) unsigned char bytes[];
} chunk;

static chunk *newest;

/* What `configure` left. */
static struct {
    chunk *newest;
    size_t used;
} kept;

/* The last call has ended, and what it took has not been released. */
static bool ended;

static void release(void) {
    while (newest && newest != kept.newest) {
        chunk *older = newest->older;
        /* The first chunk stays, also of a plugin that keeps nothing. */
        if (!older && !kept.newest) {
            newest->used = 0;
            return;
        }
        free(newest);
        newest = older;
    }
    if (newest) newest->used = kept.used;
}

/* Plainly: a formatted message would need more of the stack, and make every plugin contain printf. */
static _Noreturn void out_of_memory(void) {
    static const char message[] = "out of memory";
    write(STDERR_FILENO, message, sizeof(message) - 1);
    __builtin_trap();
}

void *tuffet_take(size_t size, size_t align) {
    if (ended) {
        ended = false;
        release();
    }
    size_t start = newest ? (newest->used + align - 1) & ~(align - 1) : 0;
    if (!newest || start > newest->size || newest->size - start < size) {
        size_t room = size > TUFFET_CHUNK ? size : TUFFET_CHUNK;
        chunk *next = room > SIZE_MAX - sizeof(chunk) ? NULL : malloc(sizeof(chunk) + room);
        if (!next) out_of_memory();
        *next = (chunk){.older = newest, .size = room};
        newest = next;
        start = 0;
    }
    newest->used = start + size;
    return newest->bytes + start;
}

void tuffet_call_ended(void) { ended = true; }

void tuffet_configured(void) {
    kept.newest = newest;
    kept.used = newest ? newest->used : 0;
}

#ifdef __wasm__

/* The server calls it for what it hands over. The byte behind makes texts of strings. */
__attribute__((export_name("cabi_realloc"))) void *cabi_realloc(void *old, size_t old_size, size_t align, size_t size) {
    if (size == SIZE_MAX) out_of_memory();
    unsigned char *memory = tuffet_take(size + 1, align);
    if (old_size) memcpy(memory, old, old_size < size ? old_size : size);
    memory[size] = 0;
    return memory;
}

/* What WASI's adapter keeps between calls must not be released with one of them. */
__attribute__((export_name("cabi_realloc_adapter"))) void *cabi_realloc_adapter(void *old, size_t old_size, size_t align,
                                                                                size_t size) {
    void *memory = old_size ? NULL : aligned_alloc(align, (size + align - 1) & ~(align - 1));
    (void)old;
    if (!memory) __builtin_trap();
    return memory;
}

#endif

void *tuffet_alloc(size_t size) { return memset(tuffet_take(size, ANY_TYPE), 0, size); }

char *tuffet_format_list(const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    size_t size = length < 0 ? 1 : (size_t)length + 1;
    char *text = tuffet_take(size, 1);
    *text = 0;
    vsnprintf(text, size, format, again);
    va_end(again);
    return text;
}

char *tuffet_format(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = tuffet_format_list(format, arguments);
    va_end(arguments);
    return text;
}

/* Nothing is taken here: there may be no memory. */
void tuffet_fail(const char *format, ...) {
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(message, sizeof(message), format, arguments) >= 0) {
        write(STDERR_FILENO, message, strlen(message));
    }
    va_end(arguments);
    __builtin_trap();
}
