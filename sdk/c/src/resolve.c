/* The hook `resolve`. */
#include "memory.h"
#include "../bindings/resolve/plugin.c"
#include "request.h"

/* If the plugin does not define it, `tuffet plugin build` says so; the linker would say less. */
#pragma weak tuffet_resolve
/* A plugin may leave it out. */
#pragma weak tuffet_render

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

static exports_tuffet_policy_resolve_content_t lower_content(const char *name, const tuffet_bytes *content) {
    return (exports_tuffet_policy_resolve_content_t){
        .name = {name != NULL, tuffet_lower_text(name)},
        .bytes = {(uint8_t *)content->data, content->length},
    };
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
        answer->val.content = lower_content(resolution.name, &resolution.content);
        break;
    case TUFFET_RESOLUTION_FILES_ELSE_NEXT:
        answer->tag = EXPORTS_TUFFET_POLICY_RESOLVE_RESOLUTION_FILES_ELSE_NEXT;
        answer->val.files_else_next = lower_files(resolution.files, resolution.file_count);
        break;
    case TUFFET_RESOLUTION_RENDERED:
        answer->tag = EXPORTS_TUFFET_POLICY_RESOLVE_RESOLUTION_RENDERED;
        answer->val.rendered = tuffet_lower_text(resolution.key);
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

bool exports_tuffet_policy_resolve_render(plugin_string_t *given, exports_tuffet_policy_resolve_rendering_t *made,
                                          exports_tuffet_policy_resolve_denial_t *denied) {
    const char *key = TUFFET_TEXT(*given);
    tuffet_rendering rendering =
        tuffet_render ? tuffet_render(key)
                      : tuffet_rendering_deny(TUFFET_NOT_DEFINED, "there is no such content",
                                              tuffet_format("the plugin renders nothing for the key %s", tuffet_quote(key)));
    if (rendering.kind != TUFFET_RENDERING_CONTENT && rendering.kind != TUFFET_RENDERING_DENY) {
        tuffet_fail("tuffet_render gave an answer of no kind");
    }
    bool is_content = rendering.kind == TUFFET_RENDERING_CONTENT;
    if (is_content) {
        *made = (exports_tuffet_policy_resolve_rendering_t){
            .content = lower_content(rendering.name, &rendering.content),
            .ttl_seconds = {rendering.ttl_seconds != TUFFET_FOREVER, rendering.ttl_seconds},
        };
    } else {
        *denied = tuffet_lower_denial(&rendering.denial);
    }
    tuffet_call_ended();
    return is_content;
}
