/* The hook `accept-upload`. */
#include "memory.h"
#include "../bindings/accept-upload.c"
#include "convert.h"

/* If the plugin does not define it, `tuffet plugin build` says so; the linker would say less. */
#pragma weak tuffet_accept_upload

bool exports_tuffet_policy_accept_upload_accept_upload(exports_tuffet_policy_accept_upload_request_t *given,
                                                       exports_tuffet_policy_accept_upload_upload_t *given_upload,
                                                       exports_tuffet_policy_accept_upload_acceptance_t *answer,
                                                       plugin_string_t *reason) {
    tuffet_request request = tuffet_lift_request(given);
    tuffet_upload upload = {
        .root = TUFFET_TEXT(given_upload->root),
        .path = TUFFET_TEXT(given_upload->path),
        .size = given_upload->size,
        .sha256 = TUFFET_TEXT(given_upload->sha256),
        .attributes = tuffet_lift_pairs(&given_upload->attributes),
    };
    tuffet_acceptance acceptance = tuffet_accept_upload(&request, &upload);
    switch (acceptance.kind) {
    case TUFFET_ACCEPTANCE_ABSTAIN:
        answer->tag = EXPORTS_TUFFET_POLICY_ACCEPT_UPLOAD_ACCEPTANCE_ABSTAIN;
        break;
    case TUFFET_ACCEPTANCE_ACCEPT:
        answer->tag = EXPORTS_TUFFET_POLICY_ACCEPT_UPLOAD_ACCEPTANCE_ACCEPT;
        break;
    case TUFFET_ACCEPTANCE_RENAME:
        answer->tag = EXPORTS_TUFFET_POLICY_ACCEPT_UPLOAD_ACCEPTANCE_RENAME;
        answer->val.rename = (exports_tuffet_policy_accept_upload_destination_t){
            .path = tuffet_lower_text(acceptance.path),
            .next_free = acceptance.next_free,
        };
        break;
    case TUFFET_ACCEPTANCE_DENY:
        answer->tag = EXPORTS_TUFFET_POLICY_ACCEPT_UPLOAD_ACCEPTANCE_DENY;
        answer->val.deny = tuffet_lower_denial(&acceptance.denial);
        break;
    case TUFFET_ACCEPTANCE_FAIL:
        *reason = tuffet_lower_text(acceptance.reason);
        break;
    default:
        tuffet_fail("tuffet_accept_upload returned no answer");
    }
    tuffet_call_ended();
    return acceptance.kind != TUFFET_ACCEPTANCE_FAIL;
}
