/* Counters and gauges. */
#include <string.h>

#include "convert.h"
#include "server.h"

tuffet_error tuffet_metrics_add(const char *name, uint64_t by, tuffet_pairs labels) {
    plugin_list_tuple2_string_string_t pairs = tuffet_lower_pairs(labels);
    tuffet_policy_metrics_error_t error;
    return tuffet_policy_metrics_add(&TUFFET_STRING_OF(name), by, &pairs, &error) ? TUFFET_OK : TUFFET_FAILED(error);
}

tuffet_error tuffet_metrics_set(const char *name, double value, tuffet_pairs labels) {
    plugin_list_tuple2_string_string_t pairs = tuffet_lower_pairs(labels);
    tuffet_policy_metrics_error_t error;
    return tuffet_policy_metrics_set(&TUFFET_STRING_OF(name), value, &pairs, &error) ? TUFFET_OK : TUFFET_FAILED(error);
}
