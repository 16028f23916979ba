/* The hook `authorize`. */
#include "memory.h"
#include "../bindings/authorize.c"
#include "convert.h"

/* If the plugin does not define it, `tuffet plugin build` says so; the linker would say less. */
#pragma weak tuffet_authorize

bool exports_tuffet_policy_authorize_authorize(exports_tuffet_policy_authorize_request_t *given,
                                               exports_tuffet_policy_authorize_labelled_verdict_t *labelled,
                                               plugin_string_t *reason) {
    exports_tuffet_policy_authorize_verdict_t *answer = &labelled->verdict;
    tuffet_request request = tuffet_lift_request(given);
    tuffet_take_label();
    tuffet_verdict verdict = tuffet_authorize(&request);
    switch (verdict.kind) {
    case TUFFET_VERDICT_ABSTAIN:
        answer->tag = EXPORTS_TUFFET_POLICY_AUTHORIZE_VERDICT_ABSTAIN;
        break;
    case TUFFET_VERDICT_ALLOW:
        answer->tag = EXPORTS_TUFFET_POLICY_AUTHORIZE_VERDICT_ALLOW;
        answer->val.allow = tuffet_lower_profile(&verdict.profile);
        break;
    case TUFFET_VERDICT_DENY:
        answer->tag = EXPORTS_TUFFET_POLICY_AUTHORIZE_VERDICT_DENY;
        answer->val.deny = tuffet_lower_denial(&verdict.denial);
        break;
    case TUFFET_VERDICT_DROP:
        answer->tag = EXPORTS_TUFFET_POLICY_AUTHORIZE_VERDICT_DROP;
        answer->val.drop = tuffet_lower_text(verdict.reason);
        break;
    case TUFFET_VERDICT_FAIL:
        *reason = tuffet_lower_text(verdict.reason);
        break;
    default:
        tuffet_fail("tuffet_authorize returned no answer");
    }
    labelled->label = tuffet_lower_name(tuffet_take_label());
    tuffet_call_ended();
    return verdict.kind != TUFFET_VERDICT_FAIL;
}
