/* The calls of the server; the linker keeps those that the plugin makes. */
#include "memory.h"
#include "../bindings/imports.c"
