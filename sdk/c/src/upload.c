/* The content of the upload. */
#include <string.h>

#include "../bindings/plugin.h"
#include "server.h"

tuffet_error tuffet_upload_read(uint64_t offset, uint32_t length, tuffet_bytes *content) {
    plugin_list_u8_t found;
    tuffet_policy_upload_content_error_t error;
    *content = TUFFET_NO_BYTES;
    if (!tuffet_policy_upload_content_read(offset, length, &found, &error)) return TUFFET_FAILED(error);
    *content = TUFFET_BYTES(found);
    return TUFFET_OK;
}
