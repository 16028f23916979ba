/* Content in parts, for the keys that the hook `resolve` answered with. */
#include "memory.h"
#include "../bindings/render-parts.c"
#include "convert.h"

/* If the plugin does not define them, `tuffet plugin build` says so; the linker would say less. */
#pragma weak tuffet_begin
#pragma weak tuffet_render_part

bool exports_tuffet_policy_render_parts_begin(plugin_string_t *key,
                                              exports_tuffet_policy_render_parts_option_large_content_t *announced,
                                              exports_tuffet_policy_render_parts_denial_t *denied) {
    tuffet_beginning beginning = tuffet_begin(TUFFET_TEXT(*key));
    switch (beginning.kind) {
    case TUFFET_BEGINNING_PARTS:
        announced->is_some = true;
        announced->val = (exports_tuffet_policy_render_parts_large_content_t){
            .name = tuffet_lower_name(beginning.name),
            .size = beginning.size,
            .ttl_seconds = {beginning.ttl_seconds != TUFFET_FOREVER, beginning.ttl_seconds},
            .attributes = tuffet_lower_pairs(beginning.attributes),
        };
        break;
    case TUFFET_BEGINNING_WHOLE:
        announced->is_some = false;
        break;
    case TUFFET_BEGINNING_DENY:
        *denied = tuffet_lower_denial(&beginning.denial);
        break;
    default:
        tuffet_fail("tuffet_begin returned no answer");
    }
    tuffet_call_ended();
    return beginning.kind != TUFFET_BEGINNING_DENY;
}

bool exports_tuffet_policy_render_parts_part(plugin_string_t *key, uint64_t offset, uint32_t length, plugin_list_u8_t *made,
                                             exports_tuffet_policy_render_parts_denial_t *denied) {
    tuffet_part part = tuffet_render_part(TUFFET_TEXT(*key), offset, length);
    switch (part.kind) {
    case TUFFET_PART_BYTES:
        *made = (plugin_list_u8_t){(uint8_t *)part.bytes.data, part.bytes.length};
        break;
    case TUFFET_PART_DENY:
        *denied = tuffet_lower_denial(&part.denial);
        break;
    default:
        tuffet_fail("tuffet_render_part returned no answer");
    }
    tuffet_call_ended();
    return part.kind == TUFFET_PART_BYTES;
}
