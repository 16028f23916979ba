/* Content in parts, for the keys that the hook `resolve` answered with. */
#include "memory.h"
#include "../bindings/render-parts.c"
#include "convert.h"

/* If the plugin does not define them, `tuffet plugin build` says so; the linker would say less. */
#pragma weak tuffet_begin
#pragma weak tuffet_render_part

bool exports_tuffet_policy_render_parts_begin(plugin_string_t *key,
                                              exports_tuffet_policy_render_parts_beginning_t *announced,
                                              plugin_string_t *reason) {
    tuffet_beginning beginning = tuffet_begin(TUFFET_TEXT(*key));
    switch (beginning.kind) {
    case TUFFET_BEGINNING_PARTS:
        announced->tag = EXPORTS_TUFFET_POLICY_RENDER_PARTS_BEGINNING_PARTS;
        announced->val.parts = (exports_tuffet_policy_render_parts_large_content_t){
            .name = tuffet_lower_name(beginning.name),
            .size = beginning.size,
            .ttl_seconds = {beginning.ttl_seconds != TUFFET_FOREVER, beginning.ttl_seconds},
            .attributes = tuffet_lower_pairs(beginning.attributes),
        };
        break;
    case TUFFET_BEGINNING_WHOLE:
        announced->tag = EXPORTS_TUFFET_POLICY_RENDER_PARTS_BEGINNING_WHOLE;
        break;
    case TUFFET_BEGINNING_DENY:
        announced->tag = EXPORTS_TUFFET_POLICY_RENDER_PARTS_BEGINNING_DENY;
        announced->val.deny = tuffet_lower_denial(&beginning.denial);
        break;
    case TUFFET_BEGINNING_FAIL:
        *reason = tuffet_lower_text(beginning.reason);
        break;
    default:
        tuffet_fail("tuffet_begin returned no answer");
    }
    tuffet_call_ended();
    return beginning.kind != TUFFET_BEGINNING_FAIL;
}

bool exports_tuffet_policy_render_parts_part(plugin_string_t *key, uint64_t offset, uint32_t length,
                                             exports_tuffet_policy_render_parts_made_part_t *made,
                                             plugin_string_t *reason) {
    tuffet_part part = tuffet_render_part(TUFFET_TEXT(*key), offset, length);
    switch (part.kind) {
    case TUFFET_PART_BYTES:
        made->tag = EXPORTS_TUFFET_POLICY_RENDER_PARTS_MADE_PART_BYTES;
        made->val.bytes = (plugin_list_u8_t){(uint8_t *)part.bytes.data, part.bytes.length};
        break;
    case TUFFET_PART_DENY:
        made->tag = EXPORTS_TUFFET_POLICY_RENDER_PARTS_MADE_PART_DENY;
        made->val.deny = tuffet_lower_denial(&part.denial);
        break;
    case TUFFET_PART_FAIL:
        *reason = tuffet_lower_text(part.reason);
        break;
    default:
        tuffet_fail("tuffet_render_part returned no answer");
    }
    tuffet_call_ended();
    return part.kind != TUFFET_PART_FAIL;
}
