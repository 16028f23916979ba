/* The content of the upload. */
#include "memory.h"
#include "../bindings/upload-content/plugin.c"
#include "server.h"

tuffet_error tuffet_upload_read(uint64_t offset, uint32_t length, tuffet_bytes *content) {
    plugin_list_u8_t found;
    tuffet_policy_upload_content_error_t error;
    *content = (tuffet_bytes){(const unsigned char *)"", 0};
    if (tuffet_policy_upload_content_read(offset, length, &found, &error)) {
        if (found.len) *content = (tuffet_bytes){found.ptr, found.len};
        return TUFFET_OK;
    }
    switch (error.tag) {
    case TUFFET_POLICY_UPLOAD_CONTENT_ERROR_DENIED:
        return tuffet_explained(TUFFET_DENIED, TUFFET_TEXT(error.val.denied));
    case TUFFET_POLICY_UPLOAD_CONTENT_ERROR_INVALID:
        return tuffet_explained(TUFFET_INVALID, TUFFET_TEXT(error.val.invalid));
    default:
        return tuffet_explained(TUFFET_UNAVAILABLE, TUFFET_TEXT(error.val.unavailable));
    }
}
