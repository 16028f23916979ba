/* Requests, from the types of the bindings to those of plugins. Include it behind the bindings of a hook. */
#ifndef TUFFET_REQUEST_H
#define TUFFET_REQUEST_H

#include "../tuffet.h"
#include "memory.h"

static inline tuffet_pairs tuffet_lift_pairs(const plugin_list_tuple2_string_string_t *list) {
    tuffet_pair *pairs = tuffet_take(list->len * sizeof(*pairs), _Alignof(tuffet_pair));
    for (size_t i = 0; i < list->len; i++) {
        pairs[i] = (tuffet_pair){TUFFET_TEXT(list->ptr[i].f0), TUFFET_TEXT(list->ptr[i].f1)};
    }
    return (tuffet_pairs){pairs, list->len};
}

static inline tuffet_request tuffet_lift_request(const tuffet_policy_types_request_t *given) {
    size_t count = given->client.macs.len;
    tuffet_mac *macs = tuffet_take(count * sizeof(*macs), _Alignof(tuffet_mac));
    for (size_t i = 0; i < count; i++) {
        const tuffet_policy_types_mac_t *mac = &given->client.macs.ptr[i];
        macs[i] = (tuffet_mac){TUFFET_TEXT(mac->address), (tuffet_mac_source)mac->source};
    }
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
                .macs = macs,
                .mac_count = count,
                .class_name = TUFFET_TEXT(given->client.class_),
            },
        .options = tuffet_lift_pairs(&given->options),
        .attributes = tuffet_lift_pairs(&given->attributes),
    };
}

/* The bindings never write to a text of an answer. */
static inline plugin_string_t tuffet_lower_text(const char *text) {
    return text ? (plugin_string_t){(uint8_t *)text, strlen(text)} : (plugin_string_t){(uint8_t *)"", 0};
}

static inline tuffet_policy_types_denial_t tuffet_lower_denial(const tuffet_denial *denial) {
    return (tuffet_policy_types_denial_t){
        .code = (tuffet_policy_types_error_code_t)denial->code,
        .message = tuffet_lower_text(denial->message),
        .reason = tuffet_lower_text(denial->reason),
    };
}

#endif
