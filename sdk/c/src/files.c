/* Files in roots. */
#include <string.h>

#include "../bindings/plugin.h"
#include "server.h"

static tuffet_error absent(void) { return tuffet_explained(TUFFET_NOT_FOUND, "there is no such file"); }

tuffet_error tuffet_files_stat(const char *root, const char *path, tuffet_metadata *metadata) {
    tuffet_policy_files_option_metadata_t found;
    tuffet_policy_files_error_t error;
    *metadata = (tuffet_metadata){.version = ""};
    if (!tuffet_policy_files_stat(&TUFFET_STRING_OF(root), &TUFFET_STRING_OF(path), &found, &error)) {
        return TUFFET_FAILED(error);
    }
    if (!found.is_some) return absent();
    *metadata = (tuffet_metadata){found.val.size, found.val.modified_unix_ms, TUFFET_TEXT(found.val.version)};
    return TUFFET_OK;
}

tuffet_error tuffet_files_read(const char *root, const char *path, uint64_t limit, tuffet_bytes *content) {
    plugin_option_list_u8_t found;
    tuffet_policy_files_error_t error;
    *content = TUFFET_NO_BYTES;
    if (!tuffet_policy_files_read(&TUFFET_STRING_OF(root), &TUFFET_STRING_OF(path), limit, &found, &error)) {
        return TUFFET_FAILED(error);
    }
    if (!found.is_some) return absent();
    *content = TUFFET_BYTES(found.val);
    return TUFFET_OK;
}

tuffet_error tuffet_files_read_at(const char *root, const char *path, const char *version, uint64_t offset,
                                  uint32_t length, tuffet_bytes *content) {
    plugin_list_u8_t found;
    tuffet_policy_files_error_t error;
    *content = TUFFET_NO_BYTES;
    if (!tuffet_policy_files_read_at(&TUFFET_STRING_OF(root), &TUFFET_STRING_OF(path), &TUFFET_STRING_OF(version), offset,
                                     length, &found, &error)) {
        return TUFFET_FAILED(error);
    }
    *content = TUFFET_BYTES(found);
    return TUFFET_OK;
}
