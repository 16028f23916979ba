/* Settings: values of the expected types, and problems at their places. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../tuffet.h"
#include "memory.h"
#include "value.h"

static struct {
    bool active;
    tuffet_problem_found *first, *last;
} problems;

void tuffet_collect_problems(void) {
    problems.active = true;
    problems.first = problems.last = NULL;
}

const tuffet_problem_found *tuffet_collected_problems(void) {
    problems.active = false;
    return problems.first;
}

/* The JSON pointer (RFC 6901) of a value. */
static const char *pointer_of(const tuffet_value *value) {
    if (!value || !value->parent) return "";
    const char *before = pointer_of(value->parent);
    if (!value->key) return tuffet_format("%s/%zu", before, value->index);
    size_t length = strlen(before);
    char *pointer = tuffet_alloc(length + 2 * strlen(value->key) + 2), *out = pointer + length;
    memcpy(pointer, before, length);
    *out++ = '/';
    for (const char *next = value->key; *next; next++) {
        if (*next == '~' || *next == '/') *out++ = '~';
        *out++ = *next == '~' ? '0' : *next == '/' ? '1' : *next;
    }
    return pointer;
}

void tuffet_problem(const tuffet_value *at, const char *format, ...) {
    if (!problems.active) return;
    va_list arguments;
    va_start(arguments, format);
    tuffet_problem_found *problem = tuffet_alloc(sizeof(*problem));
    problem->pointer = pointer_of(at);
    problem->message = tuffet_format_list(format, arguments);
    va_end(arguments);
    if (problems.last) {
        problems.last->next = problem;
    } else {
        problems.first = problem;
    }
    problems.last = problem;
}

const char *tuffet_json(const tuffet_value *value) {
    return value ? tuffet_format("%.*s", (int)value->json_length, value->json) : "null";
}

/* Describes a value in a message. */
static const char *shown(const tuffet_value *value) {
    switch (value->kind) {
    case TUFFET_NULL:
        return "nothing";
    case TUFFET_LIST:
        return "a list";
    case TUFFET_MAP:
        return "a map";
    default:
        break;
    }
    if (value->json_length <= 60) return tuffet_json(value);
    size_t length = 57;
    /* Not within a character. */
    while ((value->json[length] & 0xc0) == 0x80) length--;
    return tuffet_format("%.*s...", (int)length, value->json);
}

/* Whether a value is of this kind; if it is of another, that is a problem. */
static bool is(const tuffet_value *value, tuffet_kind kind, const char *wanted) {
    if (value && value->kind != kind) tuffet_problem(value, "%s is not %s", shown(value), wanted);
    return value && value->kind == kind;
}

const tuffet_value *tuffet_get(const tuffet_value *map, const char *key) {
    if (!map || map->kind != TUFFET_MAP) return NULL;
    for (const tuffet_value *value = map->first; value; value = value->next) {
        if (!strcmp(value->key, key)) return value->kind == TUFFET_NULL ? NULL : value;
    }
    return NULL;
}

const tuffet_value *tuffet_need(const tuffet_value *map, const char *key) {
    const tuffet_value *value = tuffet_get(map, key);
    if (!value && map && map->kind == TUFFET_MAP) tuffet_problem(map, "the key `%s` is missing", key);
    return value;
}

static bool is_among(const char *key, va_list known) {
    const char *name;
    while ((name = va_arg(known, const char *))) {
        if (!strcmp(name, key)) return true;
    }
    return false;
}

static const char *joined(va_list names) {
    const char *list = "", *name;
    while ((name = va_arg(names, const char *))) list = tuffet_format("%s%s%s", list, *list ? ", " : "", name);
    return list;
}

void tuffet_known(const tuffet_value *map, ...) {
    for (const tuffet_value *value = tuffet_first(map); value && value->key; value = value->next) {
        va_list known;
        va_start(known, map);
        bool found = is_among(value->key, known);
        va_end(known);
        if (found) continue;
        va_start(known, map);
        const char *names = joined(known);
        va_end(known);
        tuffet_problem(value, "unknown key `%s`; known here: %s", value->key, *names ? names : "none");
    }
}

const char *tuffet_string(const tuffet_value *value) {
    if (!is(value, TUFFET_STRING, "a text")) return "";
    if (strlen(value->text) == value->length) return value->text;
    tuffet_problem(value, "a text must not contain a zero byte");
    return "";
}

bool tuffet_bool(const tuffet_value *value) { return is(value, TUFFET_BOOL, "true or false") && *value->json == 't'; }

/* Whether a number has neither a fraction nor an exponent. */
static bool is_whole(const tuffet_value *value) {
    size_t digits = strspn(value->json, "-0123456789");
    return value->kind == TUFFET_NUMBER && digits == value->json_length;
}

int64_t tuffet_int(const tuffet_value *value, int64_t least, int64_t most) {
    if (!value) return 0;
    errno = 0;
    long long number = is_whole(value) ? strtoll(value->json, NULL, 10) : 0;
    if (is_whole(value) && !errno && number >= least && number <= most) return (int64_t)number;
    tuffet_problem(value, "%s is not a whole number of %" PRId64 " to %" PRId64, shown(value), least, most);
    return 0;
}

uint64_t tuffet_uint(const tuffet_value *value, uint64_t least, uint64_t most) {
    if (!value) return 0;
    errno = 0;
    bool natural = is_whole(value) && *value->json != '-';
    unsigned long long number = natural ? strtoull(value->json, NULL, 10) : 0;
    if (natural && !errno && number >= least && number <= most) return number;
    tuffet_problem(value, "%s is not a whole number of %" PRIu64 " to %" PRIu64, shown(value), least, most);
    return 0;
}

double tuffet_double(const tuffet_value *value) {
    return is(value, TUFFET_NUMBER, "a number") ? strtod(value->json, NULL) : 0;
}

const tuffet_value *tuffet_list(const tuffet_value *value) { return is(value, TUFFET_LIST, "a list") ? value : NULL; }

const tuffet_value *tuffet_map(const tuffet_value *value) { return is(value, TUFFET_MAP, "a map") ? value : NULL; }

tuffet_kind tuffet_kind_of(const tuffet_value *value) { return value ? value->kind : TUFFET_NULL; }

size_t tuffet_size(const tuffet_value *value) { return value ? value->size : 0; }

const tuffet_value *tuffet_first(const tuffet_value *value) { return value ? value->first : NULL; }

const tuffet_value *tuffet_next(const tuffet_value *element) { return element ? element->next : NULL; }

const tuffet_value *tuffet_at(const tuffet_value *list, size_t index) {
    const tuffet_value *value = tuffet_first(list);
    while (value && value->index < index) value = value->next;
    return value;
}

const char *tuffet_key(const tuffet_value *element) { return element ? element->key : NULL; }
