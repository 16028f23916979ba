/* The last requests of the client. */
#include "memory.h"
#include "../bindings/history/plugin.c"
#include "server.h"

tuffet_error tuffet_history_recent(tuffet_past_requests *requests) {
    tuffet_policy_history_list_past_request_t found;
    tuffet_policy_history_error_t error;
    *requests = (tuffet_past_requests){0};
    if (!tuffet_policy_history_recent(&found, &error)) {
        return error.tag == TUFFET_POLICY_HISTORY_ERROR_DENIED
                   ? tuffet_explained(TUFFET_DENIED, TUFFET_TEXT(error.val.denied))
                   : tuffet_explained(TUFFET_INVALID, TUFFET_TEXT(error.val.invalid));
    }
    tuffet_past_request *items = tuffet_take(found.len * sizeof(*items), _Alignof(tuffet_past_request));
    for (size_t i = 0; i < found.len; i++) {
        const tuffet_policy_history_past_request_t *past = &found.ptr[i];
        items[i] = (tuffet_past_request){(tuffet_operation)past->operation, TUFFET_TEXT(past->path),
                                         (tuffet_outcome)past->outcome, past->ended_ms_ago};
    }
    *requests = (tuffet_past_requests){items, found.len};
    return TUFFET_OK;
}
