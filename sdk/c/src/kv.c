/* Keys and values. */
#include <string.h>

#include "../bindings/plugin.h"
#include "server.h"

/* A namespace, or NULL for the plugin's own. */
#define SPACE(name) ((name) ? &TUFFET_STRING_OF(name) : NULL)

static uint32_t *ttl(uint32_t *seconds) { return *seconds == TUFFET_FOREVER ? NULL : seconds; }

tuffet_error tuffet_shared_kv_entry(const char *space, const char *key, tuffet_entry *entry) {
    tuffet_policy_kv_option_entry_t found;
    tuffet_policy_kv_error_t error;
    *entry = (tuffet_entry){.value = TUFFET_NO_BYTES};
    if (!tuffet_policy_kv_get(SPACE(space), &TUFFET_STRING_OF(key), &found, &error)) return TUFFET_FAILED(error);
    if (!found.is_some) return tuffet_explained(TUFFET_NOT_FOUND, "there is no such key");
    *entry = (tuffet_entry){TUFFET_BYTES(found.val.value), found.val.revision};
    return TUFFET_OK;
}

tuffet_error tuffet_shared_kv_get(const char *space, const char *key, tuffet_bytes *value) {
    tuffet_entry entry;
    tuffet_error error = tuffet_shared_kv_entry(space, key, &entry);
    *value = entry.value;
    return error;
}

tuffet_error tuffet_shared_kv_set(const char *space, const char *key, const void *data, size_t length,
                                  uint32_t ttl_seconds) {
    plugin_list_u8_t value = {(uint8_t *)data, length};
    tuffet_policy_kv_error_t error;
    bool good = tuffet_policy_kv_set(SPACE(space), &TUFFET_STRING_OF(key), &value, ttl(&ttl_seconds), &error);
    return good ? TUFFET_OK : TUFFET_FAILED(error);
}

tuffet_error tuffet_shared_kv_delete(const char *space, const char *key) {
    tuffet_policy_kv_error_t error;
    return tuffet_policy_kv_delete(SPACE(space), &TUFFET_STRING_OF(key), &error) ? TUFFET_OK : TUFFET_FAILED(error);
}

tuffet_error tuffet_shared_kv_increment(const char *space, const char *key, int64_t by, uint32_t ttl_seconds,
                                        int64_t *sum) {
    tuffet_policy_kv_error_t error;
    *sum = 0;
    bool good = tuffet_policy_kv_increment(SPACE(space), &TUFFET_STRING_OF(key), by, ttl(&ttl_seconds), sum, &error);
    return good ? TUFFET_OK : TUFFET_FAILED(error);
}

tuffet_error tuffet_shared_kv_swap(const char *space, const char *key, const uint64_t *revision, const void *data,
                                   size_t length, uint32_t ttl_seconds) {
    plugin_list_u8_t value = {(uint8_t *)data, length};
    plugin_option_u64_t now;
    tuffet_policy_kv_error_t error;
    if (!tuffet_policy_kv_swap(SPACE(space), &TUFFET_STRING_OF(key), (uint64_t *)revision, &value, ttl(&ttl_seconds), &now,
                               &error)) {
        return TUFFET_FAILED(error);
    }
    return now.is_some ? TUFFET_OK : tuffet_explained(TUFFET_CHANGED, "the key has another revision");
}

tuffet_error tuffet_shared_kv_list(const char *space, const char *prefix, const char *after, uint32_t limit,
                                   tuffet_list_of_keys *keys) {
    tuffet_policy_kv_list_listed_t found;
    tuffet_policy_kv_error_t error;
    *keys = (tuffet_list_of_keys){0};
    if (!tuffet_policy_kv_list(SPACE(space), &TUFFET_STRING_OF(prefix), after ? &TUFFET_STRING_OF(after) : NULL, limit,
                               &found, &error)) {
        return TUFFET_FAILED(error);
    }
    tuffet_listed *items = TUFFET_NEW(tuffet_listed, found.len);
    for (size_t i = 0; i < found.len; i++) {
        const tuffet_policy_kv_entry_t *entry = &found.ptr[i].entry;
        items[i] = (tuffet_listed){TUFFET_TEXT(found.ptr[i].key), {TUFFET_BYTES(entry->value), entry->revision}};
    }
    *keys = (tuffet_list_of_keys){items, found.len};
    return TUFFET_OK;
}

tuffet_error tuffet_shared_kv_delete_prefix(const char *space, const char *prefix, uint32_t *removed) {
    tuffet_policy_kv_error_t error;
    *removed = 0;
    bool good = tuffet_policy_kv_delete_prefix(SPACE(space), &TUFFET_STRING_OF(prefix), removed, &error);
    return good ? TUFFET_OK : TUFFET_FAILED(error);
}
