/* The hook `resolve`. */
#include "memory.h"
#include "../bindings/resolve/plugin.c"
#include "request.h"

/* If the plugin does not define it, `tuffet plugin build` says so; the linker would say less. */
#pragma weak tuffet_resolve

static exports_tuffet_policy_resolve_list_target_t lower_files(const tuffet_target *files, size_t count) {
    exports_tuffet_policy_resolve_target_t *list = tuffet_take(count * sizeof(*list), _Alignof(void *));
    for (size_t i = 0; i < count; i++) {
        list[i] = (exports_tuffet_policy_resolve_target_t){
            .root = tuffet_lower_text(files[i].root),
            .path = tuffet_lower_text(files[i].path),
        };
    }
    return (exports_tuffet_policy_resolve_list_target_t){list, count};
}

void exports_tuffet_policy_resolve_resolve(exports_tuffet_policy_resolve_request_t *given,
                                           exports_tuffet_policy_resolve_resolution_t *answer) {
    tuffet_request request = tuffet_lift_request(given);
    tuffet_resolution resolution = tuffet_resolve(&request);
    switch (resolution.kind) {
    case TUFFET_RESOLUTION_ABSTAIN:
        answer->tag = EXPORTS_TUFFET_POLICY_RESOLVE_RESOLUTION_ABSTAIN;
        break;
    case TUFFET_RESOLUTION_FILES:
        answer->tag = EXPORTS_TUFFET_POLICY_RESOLVE_RESOLUTION_FILES;
        answer->val.files = lower_files(resolution.files, resolution.file_count);
        break;
    case TUFFET_RESOLUTION_CONTENT:
        answer->tag = EXPORTS_TUFFET_POLICY_RESOLVE_RESOLUTION_CONTENT;
        answer->val.content = (plugin_list_u8_t){(uint8_t *)resolution.content.data, resolution.content.length};
        break;
    case TUFFET_RESOLUTION_DENY:
        answer->tag = EXPORTS_TUFFET_POLICY_RESOLVE_RESOLUTION_DENY;
        answer->val.deny = tuffet_lower_denial(&resolution.denial);
        break;
    default:
        tuffet_fail("tuffet_resolve gave an answer of no kind");
    }
    tuffet_call_ended();
}
