/* Errors of the server. */
#include <string.h>

#include "../tuffet.h"
#include "server.h"

static const char *const names[] = {
    "ok",      "not-found", "not-granted", "wrong-phase", "bad-argument", "bad-path",    "not-a-file",
    "changed", "too-large", "quota",       "full",        "exhausted",    "unavailable",
};

static const char *message = "", *other = "unknown";

tuffet_error tuffet_explained(tuffet_error error, const char *explanation) {
    message = explanation;
    return error;
}

tuffet_error tuffet_error_of(const char *code, const char *explanation) {
    message = explanation;
    /* TUFFET_OK and TUFFET_NOT_FOUND are no codes of the interface. */
    for (size_t i = TUFFET_NOT_GRANTED; i < TUFFET_OTHER_ERROR; i++) {
        if (!strcmp(names[i], code)) return (tuffet_error)i;
    }
    other = code;
    return TUFFET_OTHER_ERROR;
}

const char *tuffet_error_message(void) { return message; }

const char *tuffet_error_name(tuffet_error error) {
    return (size_t)error < sizeof(names) / sizeof(*names) ? names[error] : other;
}
