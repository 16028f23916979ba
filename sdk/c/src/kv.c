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

/* What a call for a value found. */
static tuffet_error found_entry(bool is_good, const tuffet_policy_kv_option_entry_t *found,
                                const tuffet_policy_kv_error_t *error, tuffet_entry *entry) {
    *entry = (tuffet_entry){{(const unsigned char *)"", 0}, 0};
    if (!is_good) return explained(error);
    if (!found->is_some) return tuffet_explained(TUFFET_NOT_FOUND, "there is no such key");
    entry->revision = found->val.revision;
    if (found->val.value.len) entry->value = (tuffet_bytes){found->val.value.ptr, found->val.value.len};
    return TUFFET_OK;
}

static tuffet_error swapped(bool is_good, const plugin_option_u64_t *now, const tuffet_policy_kv_error_t *error) {
    if (!is_good) return explained(error);
    return now->is_some ? TUFFET_OK : tuffet_explained(TUFFET_CHANGED, "the key has another revision");
}

static tuffet_error page(bool is_good, const plugin_list_string_t *found, const tuffet_policy_kv_error_t *error,
                         tuffet_strings *keys) {
    *keys = (tuffet_strings){0};
    if (!is_good) return explained(error);
    const char **items = tuffet_take(found->len * sizeof(*items), _Alignof(const char *));
    for (size_t i = 0; i < found->len; i++) items[i] = TUFFET_TEXT(found->ptr[i]);
    *keys = (tuffet_strings){items, found->len};
    return TUFFET_OK;
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

tuffet_error tuffet_kv_entry(const char *key, tuffet_entry *entry) {
    plugin_string_t name = TUFFET_STRING_OF(key);
    tuffet_policy_kv_option_entry_t found;
    tuffet_policy_kv_error_t error;
    return found_entry(tuffet_policy_kv_get_entry(&name, &found, &error), &found, &error, entry);
}

tuffet_error tuffet_kv_swap(const char *key, const uint64_t *revision, const void *data, size_t length,
                            uint32_t ttl_seconds) {
    plugin_string_t name = TUFFET_STRING_OF(key);
    plugin_list_u8_t value = {(uint8_t *)data, length};
    plugin_option_u64_t now;
    tuffet_policy_kv_error_t error;
    bool is_good = tuffet_policy_kv_swap(&name, (uint64_t *)revision, &value, ttl(&ttl_seconds), &now, &error);
    return swapped(is_good, &now, &error);
}

tuffet_error tuffet_kv_list(const char *prefix, const char *after, uint32_t limit, tuffet_strings *keys) {
    plugin_string_t begin = TUFFET_STRING_OF(prefix), last = after ? TUFFET_STRING_OF(after) : begin;
    plugin_list_string_t found;
    tuffet_policy_kv_error_t error;
    return page(tuffet_policy_kv_list(&begin, after ? &last : NULL, limit, &found, &error), &found, &error, keys);
}

tuffet_error tuffet_shared_kv_entry(const char *space, const char *key, tuffet_entry *entry) {
    plugin_string_t in = TUFFET_STRING_OF(space), name = TUFFET_STRING_OF(key);
    tuffet_policy_kv_option_entry_t found;
    tuffet_policy_shared_kv_option_entry_t shared;
    tuffet_policy_kv_error_t error;
    bool is_good = tuffet_policy_shared_kv_get(&in, &name, &shared, &error);
    if (is_good) found = (tuffet_policy_kv_option_entry_t){shared.is_some, shared.val};
    return found_entry(is_good, &found, &error, entry);
}

tuffet_error tuffet_shared_kv_get(const char *space, const char *key, tuffet_bytes *value) {
    tuffet_entry entry;
    tuffet_error error = tuffet_shared_kv_entry(space, key, &entry);
    *value = entry.value;
    return error;
}

tuffet_error tuffet_shared_kv_set(const char *space, const char *key, const void *data, size_t length,
                                  uint32_t ttl_seconds) {
    plugin_string_t in = TUFFET_STRING_OF(space), name = TUFFET_STRING_OF(key);
    plugin_list_u8_t value = {(uint8_t *)data, length};
    tuffet_policy_kv_error_t error;
    bool is_good = tuffet_policy_shared_kv_set(&in, &name, &value, ttl(&ttl_seconds), &error);
    return is_good ? TUFFET_OK : explained(&error);
}

tuffet_error tuffet_shared_kv_delete(const char *space, const char *key) {
    plugin_string_t in = TUFFET_STRING_OF(space), name = TUFFET_STRING_OF(key);
    tuffet_policy_kv_error_t error;
    return tuffet_policy_shared_kv_delete(&in, &name, &error) ? TUFFET_OK : explained(&error);
}

tuffet_error tuffet_shared_kv_increment(const char *space, const char *key, int64_t by, uint32_t ttl_seconds,
                                        int64_t *sum) {
    plugin_string_t in = TUFFET_STRING_OF(space), name = TUFFET_STRING_OF(key);
    tuffet_policy_kv_error_t error;
    *sum = 0;
    bool is_good = tuffet_policy_shared_kv_increment(&in, &name, by, ttl(&ttl_seconds), sum, &error);
    return is_good ? TUFFET_OK : explained(&error);
}

tuffet_error tuffet_shared_kv_swap(const char *space, const char *key, const uint64_t *revision, const void *data,
                                   size_t length, uint32_t ttl_seconds) {
    plugin_string_t in = TUFFET_STRING_OF(space), name = TUFFET_STRING_OF(key);
    plugin_list_u8_t value = {(uint8_t *)data, length};
    plugin_option_u64_t now;
    tuffet_policy_kv_error_t error;
    bool is_good =
        tuffet_policy_shared_kv_swap(&in, &name, (uint64_t *)revision, &value, ttl(&ttl_seconds), &now, &error);
    return swapped(is_good, &now, &error);
}

tuffet_error tuffet_shared_kv_list(const char *space, const char *prefix, const char *after, uint32_t limit,
                                   tuffet_strings *keys) {
    plugin_string_t in = TUFFET_STRING_OF(space), begin = TUFFET_STRING_OF(prefix);
    plugin_string_t last = after ? TUFFET_STRING_OF(after) : begin;
    plugin_list_string_t found;
    tuffet_policy_kv_error_t error;
    bool is_good = tuffet_policy_shared_kv_list(&in, &begin, after ? &last : NULL, limit, &found, &error);
    return page(is_good, &found, &error, keys);
}
