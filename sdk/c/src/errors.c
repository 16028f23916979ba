/* Errors of the server. */
#include "server.h"

static const char *message = "";

tuffet_error tuffet_explained(tuffet_error error, const char *explanation) {
    message = explanation;
    return error;
}

const char *tuffet_error_message(void) { return message; }

const char *tuffet_error_name(tuffet_error error) {
    static const char *const names[] = {"ok",          "not-found", "denied",    "quota",    "invalid",
                                        "unavailable", "full",      "too-large", "no-answer", "changed"};
    return (size_t)error < sizeof(names) / sizeof(*names) ? names[error] : "unknown";
}
