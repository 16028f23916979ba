/* Stand-ins for the server, and the parts of the SDK that need none. */
#include "tuffet_test.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TUFFET_CHUNK ((size_t)1)

#include "src/answers.c"
#include "src/errors.c"
#include "src/fields.c"
#include "src/json.c"
#include "src/memory.c"
#include "src/quote.c"
#include "src/settings.c"

/* A list of names and contents: keys, files, lines. */
typedef struct entry {
    const char *name;
    tuffet_bytes content;
    struct entry *next;
} entry;

static struct {
    entry *keys, *files, *emitted, *logged;
    const tuffet_problem_found *problems;
    const tuffet_http_response *response;
} state;

static tuffet_bytes copy(const void *data, size_t length) {
    unsigned char *bytes = tuffet_alloc(length + 1);
    if (length) memcpy(bytes, data, length);
    return (tuffet_bytes){bytes, length};
}

static entry *add(entry **list, const char *name, const void *data, size_t length) {
    while (*list) list = &(*list)->next;
    *list = tuffet_alloc(sizeof(entry));
    **list = (entry){.name = tuffet_format("%s", name), .content = copy(data, length)};
    return *list;
}

static entry *find_entry(entry *list, const char *name) {
    while (list && strcmp(list->name, name) != 0) list = list->next;
    return list;
}

static const char *name_at(const entry *list, size_t number) {
    while (list && number--) list = list->next;
    return list ? list->name : NULL;
}

void tuffet_test_reset(void) {
    memset(&state, 0, sizeof(state));
    tuffet_call_ended();
}

size_t tuffet_test_configure(const char *settings) {
    tuffet_collect_problems();
    const tuffet_value *value = tuffet_parse(settings, strlen(settings));
    if (!value) {
        tuffet_problem(NULL, "the settings are not JSON, or nested too deeply");
    } else {
        tuffet_configure(value);
    }
    state.problems = tuffet_collected_problems();
    size_t count = 0;
    for (const tuffet_problem_found *problem = state.problems; problem; problem = problem->next) count++;
    return count;
}

const char *tuffet_test_problem(size_t number) {
    const tuffet_problem_found *problem = state.problems;
    while (problem && number--) problem = problem->next;
    return problem ? tuffet_format("%s: %s", problem->pointer, problem->message) : NULL;
}

tuffet_request tuffet_test_request(const char *path) {
    return (tuffet_request){
        .id = "0000000000000001",
        .listener = "default",
        .requested = path,
        .path = path,
        .client = {.address = "192.0.2.1", .port = 49152, .class_name = "unknown"},
    };
}

static const char *file_name(const char *root, const char *path) { return tuffet_format("%s:%s", root, path); }

void tuffet_test_put_file(const char *root, const char *path, const char *content) {
    add(&state.files, file_name(root, path), content, strlen(content));
}

void tuffet_test_respond(uint16_t status, const char *body) {
    tuffet_http_response *response = tuffet_alloc(sizeof(*response));
    *response = (tuffet_http_response){.status = status, .body = copy(body, strlen(body))};
    state.response = response;
}

const char *tuffet_test_emitted(size_t number) { return name_at(state.emitted, number); }

const char *tuffet_test_logged(size_t number) { return name_at(state.logged, number); }

void tuffet_log_pairs(tuffet_level level, const char *message, tuffet_pairs fields) {
    static const char *const levels[] = {"trace", "debug", "info", "warn", "error"};
    const char *line = tuffet_format("%s: %s", levels[level], message);
    for (size_t i = 0; i < fields.count; i++) {
        line = tuffet_format("%s %s=%s", line, fields.items[i].name, fields.items[i].value);
    }
    add(&state.logged, line, NULL, 0);
}

tuffet_error tuffet_kv_get(const char *key, tuffet_bytes *value) {
    const entry *found = find_entry(state.keys, key);
    *value = found ? found->content : copy(NULL, 0);
    return found ? TUFFET_OK : tuffet_explained(TUFFET_NOT_FOUND, "there is no such key");
}

tuffet_error tuffet_kv_set(const char *key, const void *data, size_t length, uint32_t ttl_seconds) {
    if (!*key || strlen(key) > 256 || length > 64 << 10) return tuffet_explained(TUFFET_INVALID, "out of bounds");
    tuffet_kv_delete(key);
    if (ttl_seconds) add(&state.keys, key, data, length);
    return TUFFET_OK;
}

tuffet_error tuffet_kv_delete(const char *key) {
    for (entry **at = &state.keys; *at; at = &(*at)->next) {
        if (strcmp((*at)->name, key)) continue;
        *at = (*at)->next;
        break;
    }
    return TUFFET_OK;
}

tuffet_error tuffet_kv_increment(const char *key, int64_t by, uint32_t ttl_seconds, int64_t *sum) {
    tuffet_bytes value;
    int64_t before = 0;
    if (!tuffet_kv_get(key, &value)) {
        if (value.length != sizeof(before)) return tuffet_explained(TUFFET_INVALID, "the value is no counter");
        memcpy(&before, value.data, sizeof(before));
    }
    if (__builtin_add_overflow(before, by, sum)) *sum = by > 0 ? INT64_MAX : INT64_MIN;
    return tuffet_kv_set(key, sum, sizeof(*sum), ttl_seconds);
}

tuffet_error tuffet_files_stat(const char *root, const char *path, tuffet_metadata *metadata) {
    const entry *found = find_entry(state.files, file_name(root, path));
    *metadata = (tuffet_metadata){.bytes = found ? found->content.length : 0};
    return found ? TUFFET_OK : tuffet_explained(TUFFET_NOT_FOUND, "there is no such file");
}

tuffet_error tuffet_files_read(const char *root, const char *path, uint64_t limit, tuffet_bytes *content) {
    const entry *found = find_entry(state.files, file_name(root, path));
    *content = copy(NULL, 0);
    if (!found) return tuffet_explained(TUFFET_NOT_FOUND, "there is no such file");
    if (found->content.length > limit) return tuffet_explained(TUFFET_TOO_LARGE, "the file has more bytes than the limit");
    *content = found->content;
    return TUFFET_OK;
}

tuffet_error tuffet_sinks_emit(const char *sink, const char *json) {
    if (strchr(json, '\n') || !tuffet_parse(json, strlen(json))) {
        return tuffet_explained(TUFFET_INVALID, "a line is one JSON value");
    }
    add(&state.emitted, tuffet_format("%s %s", sink, json), NULL, 0);
    return TUFFET_OK;
}

tuffet_error tuffet_http_get(const char *url, size_t limit, tuffet_http_response *response) {
    return tuffet_http_send(&(tuffet_http_request){.url = url, .limit = limit}, response);
}

tuffet_error tuffet_http_send(const tuffet_http_request *request, tuffet_http_response *response) {
    const tuffet_http_response *given = state.response;
    state.response = NULL;
    *response = (tuffet_http_response){.body = copy(NULL, 0)};
    if (!given) return tuffet_explained(TUFFET_NO_ANSWER, "no response was prepared");
    if (given->body.length > request->limit) return tuffet_explained(TUFFET_TOO_LARGE, "the body has more bytes than the limit");
    *response = *given;
    return TUFFET_OK;
}
