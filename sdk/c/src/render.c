/* Content for the keys that the hook `resolve` answered with. */
#include "memory.h"
#include "../bindings/render.c"
#include "convert.h"

/* If the plugin does not define it, `tuffet plugin build` says so; the linker would say less. */
#pragma weak tuffet_render

bool exports_tuffet_policy_render_render(plugin_string_t *key, exports_tuffet_policy_render_rendered_t *made,
                                         plugin_string_t *reason) {
    tuffet_rendering rendering = tuffet_render(TUFFET_TEXT(*key));
    switch (rendering.kind) {
    case TUFFET_RENDERING_CONTENT:
        made->tag = EXPORTS_TUFFET_POLICY_RENDER_RENDERED_RENDERING;
        made->val.rendering = (exports_tuffet_policy_render_rendering_t){
            .content = tuffet_lower_content(&rendering.content),
            .ttl_seconds = {rendering.ttl_seconds != TUFFET_FOREVER, rendering.ttl_seconds},
        };
        break;
    case TUFFET_RENDERING_DENY:
        made->tag = EXPORTS_TUFFET_POLICY_RENDER_RENDERED_DENY;
        made->val.deny = tuffet_lower_denial(&rendering.denial);
        break;
    case TUFFET_RENDERING_FAIL:
        *reason = tuffet_lower_text(rendering.reason);
        break;
    default:
        tuffet_fail("tuffet_render returned no answer");
    }
    tuffet_call_ended();
    return rendering.kind != TUFFET_RENDERING_FAIL;
}
