/* Calls of the server. */
#ifndef TUFFET_SERVER_H
#define TUFFET_SERVER_H

#include "../tuffet.h"
#include "memory.h"

/* Remembers the explanation of an error, and returns the error. */
tuffet_error tuffet_explained(tuffet_error error, const char *message);

/* Returns the error with this code, and remembers its explanation. */
tuffet_error tuffet_error_of(const char *code, const char *message);

/* The error of the bindings of any interface. */
#define TUFFET_FAILED(error) tuffet_error_of(TUFFET_TEXT((error).code), TUFFET_TEXT((error).message))

/* The bindings never write to an argument. */
#define TUFFET_STRING_OF(text) ((plugin_string_t){(uint8_t *)(text), strlen(text)})

/* Bytes that the server handed over. */
#define TUFFET_BYTES(list) ((tuffet_bytes){(list).len ? (list).ptr : (const unsigned char *)"", (list).len})
#define TUFFET_NO_BYTES ((tuffet_bytes){(const unsigned char *)"", 0})

#endif
