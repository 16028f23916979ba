/* Keys and values. */
#include "memory.h"
#include "../bindings/kv/plugin.c"
#include "server.h"

static tuffet_error explained(const tuffet_policy_kv_error_t *error) {
    switch (error->tag) {
    case TUFFET_POLICY_KV_ERROR_DENIED:
        return tuffet_explained(TUFFET_DENIED, TUFFET_TEXT(error->val.denied));
    case TUFFET_POLICY_KV_ERROR_QUOTA:
        return tuffet_explained(TUFFET_QUOTA, "the plugin has all the keys or bytes that it may have");
    case TUFFET_POLICY_KV_ERROR_INVALID:
        return tuffet_explained(TUFFET_INVALID, TUFFET_TEXT(error->val.invalid));
    default:
        return tuffet_explained(TUFFET_UNAVAILABLE, TUFFET_TEXT(error->val.unavailable));
    }
}

static uint32_t *ttl(uint32_t *seconds) { return *seconds == TUFFET_FOREVER ? NULL : seconds; }

tuffet_error tuffet_kv_get(const char *key, tuffet_bytes *value) {
    plugin_string_t name = TUFFET_STRING_OF(key);
    plugin_option_list_u8_t found;
    tuffet_policy_kv_error_t error;
    *value = (tuffet_bytes){(const unsigned char *)"", 0};
    if (!tuffet_policy_kv_get(&name, &found, &error)) return explained(&error);
    if (!found.is_some) return tuffet_explained(TUFFET_NOT_FOUND, "there is no such key");
    if (found.val.len) *value = (tuffet_bytes){found.val.ptr, found.val.len};
    return TUFFET_OK;
}

tuffet_error tuffet_kv_set(const char *key, const void *data, size_t length, uint32_t ttl_seconds) {
    plugin_string_t name = TUFFET_STRING_OF(key);
    plugin_list_u8_t value = {(uint8_t *)data, length};
    tuffet_policy_kv_error_t error;
    return tuffet_policy_kv_set(&name, &value, ttl(&ttl_seconds), &error) ? TUFFET_OK : explained(&error);
}

tuffet_error tuffet_kv_delete(const char *key) {
    plugin_string_t name = TUFFET_STRING_OF(key);
    tuffet_policy_kv_error_t error;
    return tuffet_policy_kv_delete(&name, &error) ? TUFFET_OK : explained(&error);
}

tuffet_error tuffet_kv_increment(const char *key, int64_t by, uint32_t ttl_seconds, int64_t *sum) {
    plugin_string_t name = TUFFET_STRING_OF(key);
    tuffet_policy_kv_error_t error;
    *sum = 0;
    return tuffet_policy_kv_increment(&name, by, ttl(&ttl_seconds), sum, &error) ? TUFFET_OK : explained(&error);
}
