#include "policy.h"

#include <string.h>

/* Answers firmware/latest.bin with the current version; everything else is left to others. */
tuffet_resolution tuffet_resolve(const tuffet_request *request) {
    if (request->operation != TUFFET_READ || strcmp(request->path, "firmware/latest.bin")) {
        return tuffet_resolution_abstain();
    }
    return tuffet_resolution_file(its.root, its.current);
}
