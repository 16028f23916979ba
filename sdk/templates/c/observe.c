#include "policy.h"

#include <inttypes.h>
#include <string.h>

/* Sends a line for each file that was served. */
void tuffet_observe(const tuffet_event *events, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const tuffet_summary *end = events[i].finished;
        if (!end || strcmp(end->outcome, TUFFET_OUTCOME_SERVED)) continue;
        const tuffet_request *request = &end->decided.request;
        const tuffet_resolved *resolved = &end->decided.resolved;
        bool current = resolved->kind == TUFFET_RESOLVED_FILE && !strcmp(resolved->file.path, its.current);
        const char *line = tuffet_format("{\"client\":%s,\"path\":%s,\"bytes\":%" PRIu64 ",\"current\":%s}",
                                         tuffet_quote(request->client.address), tuffet_quote(request->path),
                                         end->transferred, current ? "true" : "false");
        if (tuffet_sinks_emit(its.sink, line)) {
            tuffet_log(TUFFET_LOG_WARN, "a download was not reported", "error", tuffet_error_message(), NULL);
        }
    }
}
