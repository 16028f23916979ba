/* Texts as JSON. */
#include <string.h>

#include "../tuffet.h"
#include "memory.h"

/* The length of the UTF-8 sequence that begins here, or 0 (RFC 3629). */
static size_t sequence(const unsigned char *at, size_t left) {
    unsigned char first = *at, least = 0x80, most = 0xbf;
    size_t length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    if (length > left) return 0;
    /* Longer than necessary, a surrogate, beyond U+10FFFF. */
    if (first == 0xe0) least = 0xa0;
    if (first == 0xed) most = 0x9f;
    if (first == 0xf0) least = 0x90;
    if (first == 0xf4) most = 0x8f;
    for (size_t i = 1; i < length; i++) {
        if (at[i] < least || at[i] > most) return 0;
        least = 0x80, most = 0xbf;
    }
    return length;
}

const char *tuffet_quote_bytes(tuffet_bytes bytes) {
    static const char escapes[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt", digits[] = "0123456789abcdef";
    if (bytes.length > (SIZE_MAX - 3) / 6) tuffet_fail("out of memory");
    /* The longest escape: \u0001. */
    char *text = tuffet_take(6 * bytes.length + 3, 1), *out = text;
    *out++ = '"';
    for (size_t i = 0; i < bytes.length;) {
        const unsigned char *at = bytes.data + i;
        size_t length = sequence(at, bytes.length - i);
        const char *escape = *at ? strchr(escapes, *at) : NULL;
        if (!length) {
            memcpy(out, "\xef\xbf\xbd", 3);
            out += 3;
            length = 1;
        } else if (escape) {
            *out++ = '\\';
            *out++ = letters[escape - escapes];
        } else if (*at < 0x20) {
            memcpy(out, "\\u00", 4);
            out[4] = digits[*at >> 4];
            out[5] = digits[*at & 15];
            out += 6;
        } else {
            memcpy(out, at, length);
            out += length;
        }
        i += length;
    }
    *out++ = '"';
    *out = 0;
    return text;
}

const char *tuffet_quote(const char *text) {
    return tuffet_quote_bytes((tuffet_bytes){(const unsigned char *)text, strlen(text)});
}
