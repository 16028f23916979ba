/* Sinks. */
#include <string.h>

#include "../bindings/plugin.h"
#include "server.h"

tuffet_error tuffet_sinks_emit(const char *sink, const char *json) {
    tuffet_policy_sinks_error_t error;
    bool good = tuffet_policy_sinks_emit(&TUFFET_STRING_OF(sink), &TUFFET_STRING_OF(json), &error);
    return good ? TUFFET_OK : TUFFET_FAILED(error);
}
