/* Lines for the server's log. */
#include "memory.h"
#include "../bindings/log/plugin.c"
#include "server.h"

void tuffet_log_pairs(tuffet_level level, const char *message, tuffet_pairs fields) {
    plugin_tuple2_string_string_t *list = tuffet_take(fields.count * sizeof(*list), _Alignof(void *));
    for (size_t i = 0; i < fields.count; i++) {
        list[i].f0 = TUFFET_STRING_OF(fields.items[i].name);
        list[i].f1 = TUFFET_STRING_OF(fields.items[i].value);
    }
    plugin_string_t text = TUFFET_STRING_OF(message);
    plugin_list_tuple2_string_string_t lowered = {list, fields.count};
    tuffet_policy_log_log((tuffet_policy_log_level_t)level, &text, &lowered);
}
