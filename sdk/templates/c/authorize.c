#include "policy.h"

#include <string.h>

/* Denies other versions than the current one; everything else is left to others. */
tuffet_verdict tuffet_authorize(const tuffet_request *request) {
    bool firmware = request->operation == TUFFET_READ && !strncmp(request->path, "firmware/", strlen("firmware/"));
    if (!firmware || !strcmp(request->path, "firmware/latest.bin") || !strcmp(request->path, its.current)) {
        return tuffet_verdict_abstain();
    }
    /* The first text is sent to the client, the second is for the log. */
    return tuffet_verdict_deny(TUFFET_ACCESS_VIOLATION, "take firmware/latest.bin", "not the current version");
}
