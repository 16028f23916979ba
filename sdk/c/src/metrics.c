/* Counters and gauges. */
#include "memory.h"
#include "../bindings/metrics/plugin.c"
#include "server.h"

static tuffet_error explained(const tuffet_policy_metrics_error_t *error) {
    switch (error->tag) {
    case TUFFET_POLICY_METRICS_ERROR_DENIED:
        return tuffet_explained(TUFFET_DENIED, TUFFET_TEXT(error->val.denied));
    case TUFFET_POLICY_METRICS_ERROR_FULL:
        return tuffet_explained(TUFFET_FULL, "the plugin has as many series as it may have");
    default:
        return tuffet_explained(TUFFET_INVALID, TUFFET_TEXT(error->val.invalid));
    }
}

static plugin_list_tuple2_string_string_t lower_labels(tuffet_pairs labels) {
    plugin_tuple2_string_string_t *pairs = tuffet_take(labels.count * sizeof(*pairs), _Alignof(void *));
    for (size_t i = 0; i < labels.count; i++) {
        pairs[i] = (plugin_tuple2_string_string_t){TUFFET_STRING_OF(labels.items[i].name),
                                                   TUFFET_STRING_OF(labels.items[i].value)};
    }
    return (plugin_list_tuple2_string_string_t){pairs, labels.count};
}

tuffet_error tuffet_metrics_add(const char *name, tuffet_pairs labels, uint64_t by) {
    plugin_string_t its = TUFFET_STRING_OF(name);
    plugin_list_tuple2_string_string_t pairs = lower_labels(labels);
    tuffet_policy_metrics_error_t error;
    return tuffet_policy_metrics_add(&its, &pairs, by, &error) ? TUFFET_OK : explained(&error);
}

tuffet_error tuffet_metrics_set(const char *name, tuffet_pairs labels, double value) {
    plugin_string_t its = TUFFET_STRING_OF(name);
    plugin_list_tuple2_string_string_t pairs = lower_labels(labels);
    tuffet_policy_metrics_error_t error;
    return tuffet_policy_metrics_set(&its, &pairs, value, &error) ? TUFFET_OK : explained(&error);
}
