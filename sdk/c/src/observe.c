/* The hook `observe`. */
#include "memory.h"
#include "../bindings/observe.c"
#include "convert.h"

/* If the plugin does not define it, `tuffet plugin build` says so; the linker would say less. */
#pragma weak tuffet_observe

static tuffet_target lift_target(const exports_tuffet_policy_observe_target_t *given) {
    return (tuffet_target){TUFFET_TEXT(given->root), TUFFET_TEXT(given->path)};
}

static tuffet_resolved lift_resolved(const exports_tuffet_policy_observe_option_resolved_t *given) {
    if (!given->is_some) return (tuffet_resolved){.kind = TUFFET_RESOLVED_NONE};
    if (given->val.tag == TUFFET_POLICY_TYPES_RESOLVED_FILE) {
        return (tuffet_resolved){.kind = TUFFET_RESOLVED_FILE, .file = lift_target(&given->val.val.file)};
    }
    return (tuffet_resolved){.kind = TUFFET_RESOLVED_CONTENT, .name = TUFFET_TEXT_OR_NULL(given->val.val.content)};
}

static tuffet_decided_request lift_decided(const exports_tuffet_policy_observe_decided_request_t *given) {
    return (tuffet_decided_request){
        .request = tuffet_lift_request(&given->request),
        .resolved = lift_resolved(&given->resolved),
        .decided_by = TUFFET_TEXT_OR_NULL(given->decided_by),
        .size = TUFFET_NUMBER_OF(given->size),
        .decision_us = TUFFET_NUMBER_OF(given->decision_us),
    };
}

static tuffet_summary lift_summary(const exports_tuffet_policy_observe_summary_t *given) {
    tuffet_target *tried = TUFFET_NEW(tuffet_target, given->tried.len);
    for (size_t i = 0; i < given->tried.len; i++) tried[i] = lift_target(&given->tried.ptr[i]);
    return (tuffet_summary){
        .decided = lift_decided(&given->decided),
        .decision = TUFFET_TEXT(given->decision),
        .outcome = TUFFET_TEXT(given->outcome),
        .detail = TUFFET_TEXT_OR_NULL(given->detail),
        .plugin_calls = given->plugin_calls,
        .tried = tried,
        .tried_count = given->tried.len,
        .tried_by = TUFFET_TEXT_OR_NULL(given->tried_by),
        .blksize = given->blksize,
        .windowsize = given->windowsize,
        .timeout_option = TUFFET_NUMBER_OF(given->timeout_option),
        .tsize = TUFFET_NUMBER_OF(given->tsize),
        .transferred = given->transferred,
        .blocks = given->blocks,
        .retransmissions = given->retransmissions,
        .duplicates = given->duplicates,
        .timeouts = given->timeouts,
        .rtt_us = TUFFET_NUMBER_OF(given->rtt_us),
        .first_block_us = TUFFET_NUMBER_OF(given->first_block_us),
        .duration_us = given->duration_us,
        .attributes = tuffet_lift_pairs(&given->attributes),
    };
}

/* Sets the pointer to a new copy of a value. */
#define POINT(pointer, type, ...)                                                                                      \
    do {                                                                                                               \
        type *copy = TUFFET_NEW(type, 1);                                                                              \
        *copy = __VA_ARGS__;                                                                                           \
        pointer = copy;                                                                                                \
    } while (0)

static tuffet_event lift_event(const exports_tuffet_policy_observe_event_t *given) {
    tuffet_event event = {.sequence = given->sequence, .unix_ms = given->unix_ms};
    switch (given->kind.tag) {
    case EXPORTS_TUFFET_POLICY_OBSERVE_EVENT_KIND_STARTED:
        POINT(event.started, tuffet_decided_request, lift_decided(&given->kind.val.started));
        break;
    case EXPORTS_TUFFET_POLICY_OBSERVE_EVENT_KIND_PROGRESSED: {
        const exports_tuffet_policy_observe_progress_t *progress = &given->kind.val.progressed;
        POINT(event.progressed, tuffet_progress,
              (tuffet_progress){TUFFET_TEXT(progress->request_id), progress->transferred,
                                TUFFET_NUMBER_OF(progress->size)});
        break;
    }
    case EXPORTS_TUFFET_POLICY_OBSERVE_EVENT_KIND_FINISHED:
        POINT(event.finished, tuffet_summary, lift_summary(&given->kind.val.finished));
        break;
    default: {
        const exports_tuffet_policy_observe_other_event_t *other = &given->kind.val.other;
        POINT(event.other, tuffet_other_event,
              (tuffet_other_event){TUFFET_TEXT(other->kind), TUFFET_TEXT_OR_NULL(other->request_id),
                                   tuffet_lift_pairs(&other->attributes)});
    }
    }
    return event;
}

void exports_tuffet_policy_observe_observe(exports_tuffet_policy_observe_list_event_t *given) {
    tuffet_event *events = TUFFET_NEW(tuffet_event, given->len);
    for (size_t i = 0; i < given->len; i++) events[i] = lift_event(&given->ptr[i]);
    tuffet_observe(events, given->len);
    tuffet_call_ended();
}
