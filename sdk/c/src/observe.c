/* The hook `observe`. */
#include "memory.h"
#include "../bindings/observe/plugin.c"
#include "request.h"

/* If the plugin does not define it, `tuffet plugin build` says so; the linker would say less. */
#pragma weak tuffet_observe

#define NUMBER(option) ((tuffet_number){(option).is_some, (option).is_some ? (option).val : 0})
#define NEW(type) ((type *)tuffet_take(sizeof(type), _Alignof(type)))

static const tuffet_start *lift_start(const exports_tuffet_policy_observe_start_t *given) {
    tuffet_start *start = NEW(tuffet_start);
    *start = (tuffet_start){
        .request = tuffet_lift_request(&given->request),
        .resolved = TUFFET_TEXT_OR_NULL(given->resolved),
        .verdict_by = TUFFET_TEXT_OR_NULL(given->verdict_by),
        .size = NUMBER(given->size),
        .decision_us = given->decision_us,
    };
    return start;
}

static const tuffet_progress *lift_progress(const exports_tuffet_policy_observe_progress_t *given) {
    tuffet_progress *progress = NEW(tuffet_progress);
    *progress = (tuffet_progress){
        .id = TUFFET_TEXT(given->id),
        .bytes = given->bytes,
        .size = NUMBER(given->size),
    };
    return progress;
}

static const tuffet_summary *lift_summary(const exports_tuffet_policy_observe_summary_t *given) {
    tuffet_summary *summary = NEW(tuffet_summary);
    *summary = (tuffet_summary){
        .request = tuffet_lift_request(&given->request),
        .outcome = (tuffet_outcome)given->outcome,
        .detail = TUFFET_TEXT_OR_NULL(given->detail),
        .decision = (tuffet_decision)given->decision,
        .verdict_by = TUFFET_TEXT_OR_NULL(given->verdict_by),
        .plugin_calls = given->plugin_calls,
        .resolved = TUFFET_TEXT_OR_NULL(given->resolved),
        .size = NUMBER(given->size),
        .blksize = given->blksize,
        .windowsize = given->windowsize,
        .timeout_option = NUMBER(given->timeout_option),
        .tsize = NUMBER(given->tsize),
        .bytes = given->bytes,
        .blocks = given->blocks,
        .retransmissions = given->retransmissions,
        .duplicates = given->duplicates,
        .timeouts = given->timeouts,
        .rtt_us = NUMBER(given->rtt_us),
        .decision_us = NUMBER(given->decision_us),
        .first_block_us = NUMBER(given->first_block_us),
        .duration_us = given->duration_us,
        .attributes = tuffet_lift_pairs(&given->attributes),
    };
    return summary;
}

void exports_tuffet_policy_observe_observe(exports_tuffet_policy_observe_list_event_t *given) {
    tuffet_event *events = tuffet_take(given->len * sizeof(*events), _Alignof(tuffet_event));
    for (size_t i = 0; i < given->len; i++) {
        const exports_tuffet_policy_observe_happening_t *what = &given->ptr[i].what;
        events[i] = (tuffet_event){.unix_ms = given->ptr[i].unix_ms};
        switch (what->tag) {
        case EXPORTS_TUFFET_POLICY_OBSERVE_HAPPENING_STARTED:
            events[i].started = lift_start(&what->val.started);
            break;
        case EXPORTS_TUFFET_POLICY_OBSERVE_HAPPENING_PROGRESSED:
            events[i].progressed = lift_progress(&what->val.progressed);
            break;
        default:
            events[i].finished = lift_summary(&what->val.finished);
        }
    }
    tuffet_observe(events, given->len);
    tuffet_call_ended();
}
