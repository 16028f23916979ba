/* Lines for the server's log. */
#include <string.h>

#include "convert.h"
#include "server.h"

void tuffet_log_pairs(tuffet_level level, const char *message, tuffet_pairs fields) {
    plugin_list_tuple2_string_string_t pairs = tuffet_lower_pairs(fields);
    tuffet_policy_log_log((tuffet_policy_log_level_t)level, &TUFFET_STRING_OF(message), &pairs);
}
