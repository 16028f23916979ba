/* The hook `resolve`. */
#include "memory.h"
#include "../bindings/resolve.c"
#include "convert.h"

/* If the plugin does not define it, `tuffet plugin build` says so; the linker would say less. */
#pragma weak tuffet_resolve

static exports_tuffet_policy_resolve_candidate_t lower_candidate(const tuffet_candidate *given) {
    exports_tuffet_policy_resolve_candidate_t candidate;
    switch (given->kind) {
    case TUFFET_CANDIDATE_FILE:
        candidate.tag = EXPORTS_TUFFET_POLICY_RESOLVE_CANDIDATE_FILE;
        candidate.val.file = (exports_tuffet_policy_resolve_target_t){tuffet_lower_text(given->file.root),
                                                                      tuffet_lower_text(given->file.path)};
        break;
    case TUFFET_CANDIDATE_CONTENT:
        candidate.tag = EXPORTS_TUFFET_POLICY_RESOLVE_CANDIDATE_CONTENT;
        candidate.val.content = tuffet_lower_content(&given->content);
        break;
    case TUFFET_CANDIDATE_RENDERING:
        candidate.tag = EXPORTS_TUFFET_POLICY_RESOLVE_CANDIDATE_RENDERING;
        candidate.val.rendering = tuffet_lower_text(given->key);
        break;
    default:
        tuffet_fail("tuffet_resolve returned a candidate of no kind");
    }
    return candidate;
}

static bool has_values(const tuffet_session_values *values) {
    return values->blksize || values->windowsize || values->timeout;
}

/* Whether a profile says anything. */
static bool is_set(const tuffet_profile *profile) {
    return has_values(&profile->ceilings) || has_values(&profile->floors) || has_values(&profile->overrides) ||
           profile->max_size.present || profile->burst || profile->rate || profile->refuse_options.count ||
           profile->attributes.count;
}

static exports_tuffet_policy_resolve_selection_t lower_selection(const tuffet_resolution *given) {
    size_t count = given->candidate_count;
    exports_tuffet_policy_resolve_candidate_t *candidates = TUFFET_NEW(exports_tuffet_policy_resolve_candidate_t, count);
    for (size_t i = 0; i < count; i++) candidates[i] = lower_candidate(&given->candidates[i]);
    return (exports_tuffet_policy_resolve_selection_t){
        .candidates = {candidates, count},
        .else_next = given->else_next,
        .profile = {is_set(&given->profile), tuffet_lower_profile(&given->profile)},
    };
}

bool exports_tuffet_policy_resolve_resolve(exports_tuffet_policy_resolve_request_t *given,
                                           exports_tuffet_policy_resolve_labelled_resolution_t *labelled,
                                           plugin_string_t *reason) {
    exports_tuffet_policy_resolve_resolution_t *answer = &labelled->resolution;
    tuffet_request request = tuffet_lift_request(given);
    tuffet_take_label();
    tuffet_resolution resolution = tuffet_resolve(&request);
    switch (resolution.kind) {
    case TUFFET_RESOLUTION_ABSTAIN:
        answer->tag = EXPORTS_TUFFET_POLICY_RESOLVE_RESOLUTION_ABSTAIN;
        break;
    case TUFFET_RESOLUTION_SERVE:
        answer->tag = EXPORTS_TUFFET_POLICY_RESOLVE_RESOLUTION_SERVE;
        answer->val.serve = lower_selection(&resolution);
        break;
    case TUFFET_RESOLUTION_DENY:
        answer->tag = EXPORTS_TUFFET_POLICY_RESOLVE_RESOLUTION_DENY;
        answer->val.deny = tuffet_lower_denial(&resolution.denial);
        break;
    case TUFFET_RESOLUTION_DROP:
        answer->tag = EXPORTS_TUFFET_POLICY_RESOLVE_RESOLUTION_DROP;
        answer->val.drop = tuffet_lower_text(resolution.reason);
        break;
    case TUFFET_RESOLUTION_FAIL:
        *reason = tuffet_lower_text(resolution.reason);
        break;
    default:
        tuffet_fail("tuffet_resolve returned no answer");
    }
    labelled->label = tuffet_lower_name(tuffet_take_label());
    tuffet_call_ended();
    return resolution.kind != TUFFET_RESOLUTION_FAIL;
}
