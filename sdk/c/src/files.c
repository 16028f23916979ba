/* Files in roots. */
#include "memory.h"
#include "../bindings/files/plugin.c"
#include "server.h"

static tuffet_error explained(const tuffet_policy_files_error_t *error) {
    switch (error->tag) {
    case TUFFET_POLICY_FILES_ERROR_DENIED:
        return tuffet_explained(TUFFET_DENIED, TUFFET_TEXT(error->val.denied));
    case TUFFET_POLICY_FILES_ERROR_TOO_LARGE:
        return tuffet_explained(TUFFET_TOO_LARGE, "the file has more bytes than the limit, or than the call may still read");
    case TUFFET_POLICY_FILES_ERROR_INVALID:
        return tuffet_explained(TUFFET_INVALID, TUFFET_TEXT(error->val.invalid));
    default:
        return tuffet_explained(TUFFET_UNAVAILABLE, TUFFET_TEXT(error->val.unavailable));
    }
}

tuffet_error tuffet_files_stat(const char *root, const char *path, tuffet_metadata *metadata) {
    plugin_string_t in = TUFFET_STRING_OF(root), at = TUFFET_STRING_OF(path);
    tuffet_policy_files_option_metadata_t found;
    tuffet_policy_files_error_t error;
    *metadata = (tuffet_metadata){0};
    if (!tuffet_policy_files_stat(&in, &at, &found, &error)) return explained(&error);
    if (!found.is_some) return tuffet_explained(TUFFET_NOT_FOUND, "there is no such file");
    *metadata = (tuffet_metadata){found.val.bytes, found.val.modified_unix_ms};
    return TUFFET_OK;
}

tuffet_error tuffet_files_read(const char *root, const char *path, uint64_t limit, tuffet_bytes *content) {
    plugin_string_t in = TUFFET_STRING_OF(root), at = TUFFET_STRING_OF(path);
    plugin_option_list_u8_t found;
    tuffet_policy_files_error_t error;
    *content = (tuffet_bytes){(const unsigned char *)"", 0};
    if (!tuffet_policy_files_read(&in, &at, limit, &found, &error)) return explained(&error);
    if (!found.is_some) return tuffet_explained(TUFFET_NOT_FOUND, "there is no such file");
    if (found.val.len) *content = (tuffet_bytes){found.val.ptr, found.val.len};
    return TUFFET_OK;
}
