/* Requests and answers, between the types of plugins and those of the bindings. */
#include <string.h>

#include "convert.h"

/* The bindings never write to a text of an answer. */
plugin_string_t tuffet_lower_text(const char *text) {
    return text ? (plugin_string_t){(uint8_t *)text, strlen(text)} : (plugin_string_t){(uint8_t *)"", 0};
}

tuffet_pairs tuffet_lift_pairs(const plugin_list_tuple2_string_string_t *list) {
    tuffet_pair *pairs = TUFFET_NEW(tuffet_pair, list->len);
    for (size_t i = 0; i < list->len; i++) {
        pairs[i] = (tuffet_pair){TUFFET_TEXT(list->ptr[i].f0), TUFFET_TEXT(list->ptr[i].f1)};
    }
    return (tuffet_pairs){pairs, list->len};
}

plugin_list_tuple2_string_string_t tuffet_lower_pairs(tuffet_pairs pairs) {
    plugin_tuple2_string_string_t *list = TUFFET_NEW(plugin_tuple2_string_string_t, pairs.count);
    for (size_t i = 0; i < pairs.count; i++) {
        list[i] = (plugin_tuple2_string_string_t){tuffet_lower_text(pairs.items[i].name),
                                                  tuffet_lower_text(pairs.items[i].value)};
    }
    return (plugin_list_tuple2_string_string_t){list, pairs.count};
}

static tuffet_macs lift_macs(const tuffet_policy_types_list_mac_t *given) {
    tuffet_mac *macs = TUFFET_NEW(tuffet_mac, given->len);
    for (size_t i = 0; i < given->len; i++) {
        macs[i] = (tuffet_mac){TUFFET_TEXT(given->ptr[i].address), TUFFET_TEXT(given->ptr[i].source)};
    }
    return (tuffet_macs){macs, given->len};
}

static const tuffet_mac_addresses *lift_addresses(const tuffet_policy_types_option_mac_addresses_t *given) {
    if (!given->is_some) return NULL;
    tuffet_mac_addresses *addresses = TUFFET_NEW(tuffet_mac_addresses, 1);
    *addresses = (tuffet_mac_addresses){lift_macs(&given->val.network), lift_macs(&given->val.claimed)};
    return addresses;
}

static const tuffet_lease *lift_lease(const tuffet_policy_types_option_lease_t *given) {
    if (!given->is_some) return NULL;
    tuffet_lease *lease = TUFFET_NEW(tuffet_lease, 1);
    *lease = (tuffet_lease){
        .mac = TUFFET_TEXT_OR_NULL(given->val.mac),
        .client_id = TUFFET_TEXT_OR_NULL(given->val.client_id),
        .uuid = TUFFET_TEXT_OR_NULL(given->val.uuid),
        .hostname = TUFFET_TEXT_OR_NULL(given->val.hostname),
        .vendor_class = TUFFET_TEXT_OR_NULL(given->val.vendor_class),
        .architecture = TUFFET_NUMBER_OF(given->val.architecture),
        .expires = TUFFET_NUMBER_OF(given->val.expires),
        .age = given->val.age,
    };
    return lease;
}

static const tuffet_arrival *lift_arrival(const tuffet_policy_types_option_arrival_t *given) {
    if (!given->is_some) return NULL;
    tuffet_arrival *arrival = TUFFET_NEW(tuffet_arrival, 1);
    *arrival = (tuffet_arrival){
        .address = TUFFET_TEXT_OR_NULL(given->val.address),
        .interface_name = TUFFET_TEXT_OR_NULL(given->val.interface_name),
        .vlan = TUFFET_NUMBER_OF(given->val.vlan),
    };
    return arrival;
}

static tuffet_pairs lift_labels(const tuffet_policy_types_list_label_t *given) {
    tuffet_pair *labels = TUFFET_NEW(tuffet_pair, given->len);
    for (size_t i = 0; i < given->len; i++) {
        labels[i] = (tuffet_pair){TUFFET_TEXT(given->ptr[i].plugin), TUFFET_TEXT(given->ptr[i].text)};
    }
    return (tuffet_pairs){labels, given->len};
}

tuffet_request tuffet_lift_request(const tuffet_policy_types_request_t *given) {
    return (tuffet_request){
        .id = TUFFET_TEXT(given->id),
        .listener = TUFFET_TEXT(given->listener),
        .operation = (tuffet_operation)given->operation,
        .mode = (tuffet_mode)given->mode,
        .requested = TUFFET_TEXT(given->requested),
        .path = TUFFET_TEXT(given->path),
        .client =
            {
                .address = TUFFET_TEXT(given->client.address),
                .port = given->client.port,
                .macs = lift_addresses(&given->client.macs),
                .lease = lift_lease(&given->client.lease),
                .class_name = TUFFET_TEXT(given->client.class_),
            },
        .arrival = lift_arrival(&given->arrival),
        .options = tuffet_lift_pairs(&given->options),
        .unix_ms = given->unix_ms,
        .labels = lift_labels(&given->labels),
        .attributes = tuffet_lift_pairs(&given->attributes),
    };
}

plugin_option_string_t tuffet_lower_name(const char *name) {
    return (plugin_option_string_t){name != NULL, tuffet_lower_text(name)};
}

tuffet_policy_types_denial_t tuffet_lower_denial(const tuffet_denial *denial) {
    return (tuffet_policy_types_denial_t){
        .code = (tuffet_policy_types_error_code_t)denial->code,
        .message = tuffet_lower_text(denial->message),
        .reason = tuffet_lower_text(denial->reason),
    };
}

static tuffet_policy_types_session_values_t lower_values(const tuffet_session_values *values) {
    return (tuffet_policy_types_session_values_t){
        .blksize = {values->blksize != 0, values->blksize},
        .windowsize = {values->windowsize != 0, values->windowsize},
        .timeout = {values->timeout != 0, values->timeout},
    };
}

tuffet_policy_types_profile_t tuffet_lower_profile(const tuffet_profile *profile) {
    size_t count = profile->refuse_options.count;
    plugin_string_t *refused = TUFFET_NEW(plugin_string_t, count);
    for (size_t i = 0; i < count; i++) refused[i] = tuffet_lower_text(profile->refuse_options.items[i]);
    return (tuffet_policy_types_profile_t){
        .ceilings = lower_values(&profile->ceilings),
        .floors = lower_values(&profile->floors),
        .overrides = lower_values(&profile->overrides),
        .max_size = {profile->max_size.present, profile->max_size.value},
        .burst = {profile->burst != 0, profile->burst},
        .rate = {profile->rate != 0, profile->rate},
        .refuse_options = {refused, count},
        .attributes = tuffet_lower_pairs(profile->attributes),
    };
}

tuffet_policy_contents_content_t tuffet_lower_content(const tuffet_content *content) {
    return (tuffet_policy_contents_content_t){
        .name = tuffet_lower_name(content->name),
        .data = {(uint8_t *)content->data.data, content->data.length},
        .attributes = tuffet_lower_pairs(content->attributes),
    };
}
