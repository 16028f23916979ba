/* The hook `authorize`. */
#include "memory.h"
#include "../bindings/authorize/plugin.c"
#include "request.h"

/* If the plugin does not define it, `tuffet plugin build` says so; the linker would say less. */
#pragma weak tuffet_authorize

static plugin_option_u16_t ceiling(uint16_t value) { return (plugin_option_u16_t){value != 0, value}; }

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
        answer->val.allow = (exports_tuffet_policy_authorize_limits_t){
            .blksize = ceiling(verdict.limits.blksize),
            .windowsize = ceiling(verdict.limits.windowsize),
            .bytes = {verdict.limits.bytes.present, verdict.limits.bytes.value},
        };
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
