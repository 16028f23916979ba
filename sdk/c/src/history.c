/* The last requests of the client. */
#include <string.h>

#include "../bindings/plugin.h"
#include "server.h"

tuffet_error tuffet_history_recent(tuffet_past_requests *requests) {
    tuffet_policy_history_list_past_request_t found;
    tuffet_policy_history_error_t error;
    *requests = (tuffet_past_requests){0};
    if (!tuffet_policy_history_recent(&found, &error)) return TUFFET_FAILED(error);
    tuffet_past_request *items = TUFFET_NEW(tuffet_past_request, found.len);
    for (size_t i = 0; i < found.len; i++) {
        const tuffet_policy_history_past_request_t *past = &found.ptr[i];
        items[i] = (tuffet_past_request){(tuffet_operation)past->operation, TUFFET_TEXT(past->path),
                                         TUFFET_TEXT(past->outcome), past->ended_ms_ago};
    }
    *requests = (tuffet_past_requests){items, found.len};
    return TUFFET_OK;
}
