/* Calls of the server. Include it behind the bindings of an interface. */
#ifndef TUFFET_SERVER_H
#define TUFFET_SERVER_H

#include "../tuffet.h"
#include "memory.h"

/* Remembers the explanation of an error, and returns the error. */
tuffet_error tuffet_explained(tuffet_error error, const char *message);

/* The bindings never write to an argument. */
#define TUFFET_STRING_OF(text) ((plugin_string_t){(uint8_t *)(text), strlen(text)})

#endif
