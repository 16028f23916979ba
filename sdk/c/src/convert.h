/* Requests and answers, between the types of plugins and those of the bindings. */
#ifndef TUFFET_CONVERT_H
#define TUFFET_CONVERT_H

#include "../bindings/plugin.h"
#include "../tuffet.h"
#include "memory.h"

tuffet_pairs tuffet_lift_pairs(const plugin_list_tuple2_string_string_t *list);
tuffet_request tuffet_lift_request(const tuffet_policy_types_request_t *given);

plugin_list_tuple2_string_string_t tuffet_lower_pairs(tuffet_pairs pairs);
/* NULL is "". */
plugin_string_t tuffet_lower_text(const char *text);
/* The label that was given since this was asked last, or NULL. */
const char *tuffet_take_label(void);
plugin_option_string_t tuffet_lower_name(const char *name);
tuffet_policy_types_denial_t tuffet_lower_denial(const tuffet_denial *denial);
tuffet_policy_types_profile_t tuffet_lower_profile(const tuffet_profile *profile);
tuffet_policy_contents_content_t tuffet_lower_content(const tuffet_content *content);

#endif
