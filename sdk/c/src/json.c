/* Reads JSON (RFC 8259). */
#include <string.h>

#include "../tuffet.h"
#include "memory.h"
#include "value.h"

/* As deep as the server's own reader goes. */
#define DEPTH 128

typedef struct reader {
    const char *at, *end;
    unsigned depth;
} reader;

static bool read_value(reader *in, tuffet_value *value);

static void skip_space(reader *in) {
    while (in->at < in->end && strchr(" \t\r\n", *in->at) && *in->at) in->at++;
}

/* Takes a character, if it is next. */
static bool take(reader *in, char wanted) {
    if (in->at == in->end || *in->at != wanted) return false;
    in->at++;
    return true;
}

static bool take_word(reader *in, const char *word) {
    size_t length = strlen(word);
    if ((size_t)(in->end - in->at) < length || memcmp(in->at, word, length) != 0) return false;
    in->at += length;
    return true;
}

static bool take_digits(reader *in) {
    const char *begin = in->at;
    while (in->at < in->end && *in->at >= '0' && *in->at <= '9') in->at++;
    return in->at > begin;
}

static bool read_number(reader *in) {
    take(in, '-');
    if (!take(in, '0') && !take_digits(in)) return false;
    if (take(in, '.') && !take_digits(in)) return false;
    if (take(in, 'e') || take(in, 'E')) {
        if (!take(in, '-')) take(in, '+');
        if (!take_digits(in)) return false;
    }
    return true;
}

/* Reads the four digits of an escape; a negative number if there are none. */
static int32_t read_hex(reader *in) {
    int32_t code = 0;
    for (int i = 0; i < 4; i++) {
        static const char digits[] = "0123456789abcdef";
        if (in->at == in->end || !*in->at) return -1;
        const char *digit = strchr(digits, *in->at | (*in->at >= 'A' ? 0x20 : 0));
        if (!digit) return -1;
        code = code << 4 | (int32_t)(digit - digits);
        in->at++;
    }
    return code;
}

static char *put_utf8(char *out, int32_t code) {
    if (code < 0x80) {
        *out++ = (char)code;
        return out;
    }
    if (code < 0x800) {
        *out++ = (char)(0xc0 | code >> 6);
    } else {
        if (code < 0x10000) {
            *out++ = (char)(0xe0 | code >> 12);
        } else {
            *out++ = (char)(0xf0 | code >> 18);
            *out++ = (char)(0x80 | (code >> 12 & 0x3f));
        }
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
    }
    *out++ = (char)(0x80 | (code & 0x3f));
    return out;
}

/* Reads a code point behind `\u`: one escape, or two that are a surrogate pair. */
static int32_t read_code_point(reader *in) {
    int32_t code = read_hex(in);
    if (code < 0xd800 || code > 0xdfff) return code;
    if (code > 0xdbff || !take(in, '\\') || !take(in, 'u')) return -1;
    int32_t low = read_hex(in);
    if (low < 0xdc00 || low > 0xdfff) return -1;
    return 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
}

/* Reads a string into memory of its own: escapes are never shorter than what they mean. */
static bool read_string(reader *in, const char **text, size_t *length) {
    if (!take(in, '"')) return false;
    const char *end = in->at;
    while (end < in->end && *end != '"') end += *end == '\\' && in->end - end > 1 ? 2 : 1;
    if (end == in->end) return false;
    char *begin = tuffet_take((size_t)(end - in->at) + 1, 1), *out = begin;
    while (in->at < end) {
        char next = *in->at++;
        if ((unsigned char)next < 0x20) return false;
        if (next != '\\') {
            *out++ = next;
            continue;
        }
        static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
        char escape = *in->at++;
        const char *known = escape ? strchr(escapes, escape) : NULL;
        if (known) {
            *out++ = meanings[known - escapes];
        } else {
            int32_t code = escape == 'u' ? read_code_point(in) : -1;
            if (code < 0 || in->at > end) return false;
            out = put_utf8(out, code);
        }
    }
    in->at = end + 1;
    *out = 0;
    *text = begin;
    *length = (size_t)(out - begin);
    return true;
}

/* Reads the elements of a list or a map, behind its bracket. */
static bool read_elements(reader *in, tuffet_value *parent, char closing) {
    const tuffet_value **next = &parent->first;
    skip_space(in);
    if (take(in, closing)) return true;
    do {
        tuffet_value *element = tuffet_alloc(sizeof(*element));
        element->parent = parent;
        element->index = parent->size++;
        *next = element;
        next = &element->next;
        skip_space(in);
        if (parent->kind == TUFFET_MAP) {
            size_t length;
            if (!read_string(in, &element->key, &length)) return false;
            /* No plugin can name such a key. */
            if (strlen(element->key) != length) return false;
            skip_space(in);
            if (!take(in, ':')) return false;
        }
        if (!read_value(in, element)) return false;
        skip_space(in);
    } while (take(in, ','));
    return take(in, closing);
}

static bool read_kind(reader *in, tuffet_value *value) {
    if (in->at == in->end) return false;
    switch (*in->at) {
    case '{':
        value->kind = TUFFET_MAP;
        in->at++;
        return read_elements(in, value, '}');
    case '[':
        value->kind = TUFFET_LIST;
        in->at++;
        return read_elements(in, value, ']');
    case '"':
        value->kind = TUFFET_STRING;
        return read_string(in, &value->text, &value->length);
    case 't':
        value->kind = TUFFET_BOOL;
        return take_word(in, "true");
    case 'f':
        value->kind = TUFFET_BOOL;
        return take_word(in, "false");
    case 'n':
        return take_word(in, "null");
    default:
        value->kind = TUFFET_NUMBER;
        return read_number(in);
    }
}

static bool read_value(reader *in, tuffet_value *value) {
    skip_space(in);
    value->json = in->at;
    if (in->depth == DEPTH) return false;
    in->depth++;
    bool good = read_kind(in, value);
    in->depth--;
    value->json_length = (size_t)(in->at - value->json);
    return good;
}

const tuffet_value *tuffet_parse(const char *text, size_t length) {
    /* Values refer to it. */
    char *copy = tuffet_take(length + 1, 1);
    memcpy(copy, text, length);
    copy[length] = 0;
    reader in = {.at = copy, .end = copy + length};
    tuffet_value *value = tuffet_alloc(sizeof(*value));
    if (!read_value(&in, value)) return NULL;
    skip_space(&in);
    return in.at == in.end ? value : NULL;
}
