/* The hook `authorize`. */
#include "memory.h"
#include "../bindings/authorize/plugin.c"
#include "request.h"

/* If the plugin does not define it, `tuffet plugin build` says so; the linker would say less. */
#pragma weak tuffet_authorize

static plugin_option_u16_t number(uint16_t value) { return (plugin_option_u16_t){value != 0, value}; }

static plugin_option_u8_t small(uint8_t value) { return (plugin_option_u8_t){value != 0, value}; }

static tuffet_policy_types_session_values_t lower_values(const tuffet_session_values *values) {
    return (tuffet_policy_types_session_values_t){
        .blksize = number(values->blksize),
        .windowsize = number(values->windowsize),
        .timeout = small(values->timeout),
    };
}

static tuffet_policy_types_profile_t lower_profile(const tuffet_profile *profile) {
    size_t count = profile->refuse_option_count;
    plugin_string_t *refused = tuffet_take(count * sizeof(*refused), _Alignof(void *));
    for (size_t i = 0; i < count; i++) refused[i] = tuffet_lower_text(profile->refuse_options[i]);
    return (tuffet_policy_types_profile_t){
        .blksize = number(profile->blksize),
        .windowsize = number(profile->windowsize),
        .timeout = small(profile->timeout),
        .bytes = {profile->bytes.present, profile->bytes.value},
        .floors = lower_values(&profile->floors),
        .overrides = lower_values(&profile->overrides),
        .burst = number(profile->burst),
        .rate = {profile->rate != 0, profile->rate},
        .refuse_options = {refused, count},
    };
}

void exports_tuffet_policy_authorize_authorize(exports_tuffet_policy_authorize_request_t *given,
                                               exports_tuffet_policy_authorize_verdict_t *answer) {
    tuffet_request request = tuffet_lift_request(given);
    tuffet_verdict verdict = tuffet_authorize(&request);
    switch (verdict.kind) {
    case TUFFET_VERDICT_ABSTAIN:
        answer->tag = EXPORTS_TUFFET_POLICY_AUTHORIZE_VERDICT_ABSTAIN;
        break;
    case TUFFET_VERDICT_ALLOW:
        answer->tag = EXPORTS_TUFFET_POLICY_AUTHORIZE_VERDICT_ALLOW;
        answer->val.allow = lower_profile(&verdict.profile);
        break;
    case TUFFET_VERDICT_DENY:
        answer->tag = EXPORTS_TUFFET_POLICY_AUTHORIZE_VERDICT_DENY;
        answer->val.deny = tuffet_lower_denial(&verdict.denial);
        break;
    case TUFFET_VERDICT_DROP:
        answer->tag = EXPORTS_TUFFET_POLICY_AUTHORIZE_VERDICT_DROP;
        break;
    default:
        tuffet_fail("tuffet_authorize gave an answer of no kind");
    }
    tuffet_call_ended();
}
