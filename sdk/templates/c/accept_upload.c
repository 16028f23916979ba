#include "policy.h"

#include <string.h>

/* Denies replacing the current version, and empty files; everything else is left to others. */
tuffet_acceptance tuffet_accept_upload(const tuffet_request *request, const tuffet_upload *upload) {
    (void)request;
    if (!strcmp(upload->path, its.current)) {
        return tuffet_acceptance_deny(TUFFET_ACCESS_VIOLATION, "this version is in use", NULL);
    }
    if (!upload->size) return tuffet_acceptance_deny(TUFFET_ACCESS_VIOLATION, "the file is empty", NULL);
    return tuffet_acceptance_abstain();
}
