/* Sinks. */
#include "memory.h"
#include "../bindings/sinks/plugin.c"
#include "server.h"

tuffet_error tuffet_sinks_emit(const char *sink, const char *json) {
    plugin_string_t name = TUFFET_STRING_OF(sink), payload = TUFFET_STRING_OF(json);
    tuffet_policy_sinks_error_t error;
    if (tuffet_policy_sinks_emit(&name, &payload, &error)) return TUFFET_OK;
    switch (error.tag) {
    case TUFFET_POLICY_SINKS_ERROR_DENIED:
        return tuffet_explained(TUFFET_DENIED, TUFFET_TEXT(error.val.denied));
    case TUFFET_POLICY_SINKS_ERROR_FULL:
        return tuffet_explained(TUFFET_FULL, "the sink is slow or broken");
    default:
        return tuffet_explained(TUFFET_INVALID, TUFFET_TEXT(error.val.invalid));
    }
}
