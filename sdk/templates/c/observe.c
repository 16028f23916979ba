#include "policy.h"

#include <inttypes.h>
#include <string.h>

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && !strcmp(text + length - tail, end);
}

/* Sends a line for each file that was served. */
void tuffet_observe(const tuffet_event *events, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const tuffet_summary *end = events[i].finished;
        if (!end || end->outcome != TUFFET_OUTCOME_SERVED) continue;
        bool current = end->resolved && ends_with(end->resolved, its.current);
        const char *line = tuffet_format("{\"client\":%s,\"path\":%s,\"bytes\":%" PRIu64 ",\"current\":%s}",
                                         tuffet_quote(end->request.client.address), tuffet_quote(end->request.path),
                                         end->bytes, current ? "true" : "false");
        if (tuffet_sinks_emit(its.sink, line)) {
            tuffet_log(TUFFET_LOG_WARN, "a download was not reported", "error", tuffet_error_message(), NULL);
        }
    }
}
