/* Lines for the log, with their fields as arguments. */
#include <stdarg.h>

#include "../tuffet.h"
#include "memory.h"

void tuffet_log(tuffet_level level, const char *message, ...) {
    va_list arguments;
    size_t count = 0;
    va_start(arguments, message);
    /* A value must follow each name. */
    while (va_arg(arguments, const char *)) count += va_arg(arguments, const char *) ? 1 : 0;
    va_end(arguments);
    tuffet_pair *pairs = TUFFET_NEW(tuffet_pair, count);
    va_start(arguments, message);
    for (size_t i = 0; i < count; i++) {
        pairs[i].name = va_arg(arguments, const char *);
        pairs[i].value = va_arg(arguments, const char *);
    }
    va_end(arguments);
    tuffet_log_pairs(level, message, (tuffet_pairs){pairs, count});
}
