/* Stand-ins for the server, and the parts of the SDK that need none. */
#include "tuffet_test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TUFFET_CHUNK ((size_t)1)

#include "src/answers.c"
#include "src/errors.c"
#include "src/fields.c"
#include "src/json.c"
#include "src/macs.c"
#include "src/memory.c"
#include "src/quote.c"
#include "src/settings.c"

/* A list of names and contents: keys, files, lines. */
typedef struct entry {
    const char *name;
    tuffet_bytes content;
    /* Of a key, or the version of a file. */
    uint64_t revision;
    struct entry *next;
} entry;

static struct {
    entry *keys, *files, *emitted, *logged, *metrics;
    /* The number of changes of keys and files, which is the newest revision. */
    uint64_t changes;
    const tuffet_bytes *upload;
    tuffet_past_requests history;
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

static void drop_entry(entry **list, const char *name) {
    while (*list && strcmp((*list)->name, name) != 0) list = &(*list)->next;
    if (*list) *list = (*list)->next;
}

static const char *name_at(const entry *list, size_t number) {
    while (list && number--) list = list->next;
    return list ? list->name : NULL;
}

void tuffet_test_reset(void) {
    memset(&state, 0, sizeof(state));
    tuffet_take_label();
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
        .client = {.address = "192.0.2.1", .port = 49152, .macs = tuffet_test_macs(NULL), .class_name = "unknown"},
    };
}

const tuffet_mac_addresses *tuffet_test_macs(const char *address) {
    tuffet_mac *mac = tuffet_alloc(sizeof(*mac));
    *mac = (tuffet_mac){address, TUFFET_NEIGHBOUR_TABLE};
    tuffet_mac_addresses *macs = tuffet_alloc(sizeof(*macs));
    macs->network = (tuffet_macs){mac, address ? 1 : 0};
    return macs;
}

tuffet_upload tuffet_test_upload(const char *root, const char *path, const char *content) {
    tuffet_bytes *bytes = tuffet_alloc(sizeof(*bytes));
    *bytes = copy(content, strlen(content));
    state.upload = bytes;
    return (tuffet_upload){
        .root = root,
        .path = path,
        .size = bytes->length,
        .sha256 = "0000000000000000000000000000000000000000000000000000000000000000",
    };
}

static const char *file_name(const char *root, const char *path) { return tuffet_format("%s:%s", root, path); }

void tuffet_test_put_file(const char *root, const char *path, const char *content) {
    drop_entry(&state.files, file_name(root, path));
    add(&state.files, file_name(root, path), content, strlen(content))->revision = ++state.changes;
}

void tuffet_test_respond(uint16_t status, const char *body) {
    tuffet_http_response *response = tuffet_alloc(sizeof(*response));
    *response = (tuffet_http_response){.status = status, .body = copy(body, strlen(body))};
    state.response = response;
}

const char *tuffet_test_label(void) { return tuffet_take_label(); }

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

/* A key in a namespace; the plugin's own has an empty name, and no name has a line break. */
static const char *key_name(const char *space, const char *key) {
    return tuffet_format("%s\n%s", space ? space : "", key);
}

tuffet_error tuffet_shared_kv_entry(const char *space, const char *key, tuffet_entry *its) {
    const entry *found = find_entry(state.keys, key_name(space, key));
    *its = found ? (tuffet_entry){found->content, found->revision} : (tuffet_entry){copy(NULL, 0), 0};
    return found ? TUFFET_OK : tuffet_explained(TUFFET_NOT_FOUND, "there is no such key");
}

tuffet_error tuffet_shared_kv_get(const char *space, const char *key, tuffet_bytes *value) {
    tuffet_entry its;
    tuffet_error error = tuffet_shared_kv_entry(space, key, &its);
    *value = its.value;
    return error;
}

tuffet_error tuffet_shared_kv_set(const char *space, const char *key, const void *data, size_t length,
                                  uint32_t ttl_seconds) {
    if (!*key || strlen(key) > 256 || length > 64 << 10) return tuffet_explained(TUFFET_BAD_ARGUMENT, "out of bounds");
    drop_entry(&state.keys, key_name(space, key));
    if (ttl_seconds) add(&state.keys, key_name(space, key), data, length)->revision = ++state.changes;
    return TUFFET_OK;
}

tuffet_error tuffet_shared_kv_delete(const char *space, const char *key) {
    drop_entry(&state.keys, key_name(space, key));
    return TUFFET_OK;
}

tuffet_error tuffet_shared_kv_increment(const char *space, const char *key, int64_t by, uint32_t ttl_seconds,
                                        int64_t *sum) {
    tuffet_bytes value;
    int64_t before = 0;
    if (!tuffet_shared_kv_get(space, key, &value)) {
        if (value.length != sizeof(before)) return tuffet_explained(TUFFET_BAD_ARGUMENT, "the value is no counter");
        memcpy(&before, value.data, sizeof(before));
    }
    if (__builtin_add_overflow(before, by, sum)) *sum = by > 0 ? INT64_MAX : INT64_MIN;
    return tuffet_shared_kv_set(space, key, sum, sizeof(*sum), ttl_seconds);
}

tuffet_error tuffet_shared_kv_swap(const char *space, const char *key, const uint64_t *revision, const void *data,
                                   size_t length, uint32_t ttl_seconds) {
    tuffet_entry its;
    bool there = !tuffet_shared_kv_entry(space, key, &its);
    if (there != (revision != NULL) || (there && its.revision != *revision)) {
        return tuffet_explained(TUFFET_CHANGED, "the key has another revision");
    }
    return tuffet_shared_kv_set(space, key, data, length, ttl_seconds);
}

static int by_bytes(const void *a, const void *b) {
    return strcmp(((const tuffet_listed *)a)->key, ((const tuffet_listed *)b)->key);
}

tuffet_error tuffet_shared_kv_list(const char *space, const char *prefix, const char *after, uint32_t limit,
                                   tuffet_list_of_keys *keys) {
    const char *begin = key_name(space, prefix);
    size_t known = 0, count = 0, skipped = strlen(begin) - strlen(prefix);
    for (const entry *its = state.keys; its; its = its->next) known++;
    tuffet_listed *items = tuffet_alloc(known * sizeof(*items));
    for (const entry *its = state.keys; its; its = its->next) {
        if (strncmp(its->name, begin, strlen(begin))) continue;
        const char *key = its->name + skipped;
        if (!after || strcmp(key, after) > 0) items[count++] = (tuffet_listed){key, {its->content, its->revision}};
    }
    qsort(items, count, sizeof(*items), by_bytes);
    if (limit > 1000) limit = 1000;
    *keys = (tuffet_list_of_keys){items, count < limit ? count : limit};
    return TUFFET_OK;
}

tuffet_error tuffet_shared_kv_delete_prefix(const char *space, const char *prefix, uint32_t *removed) {
    tuffet_list_of_keys keys;
    tuffet_error error = tuffet_shared_kv_list(space, prefix, NULL, 1000, &keys);
    for (size_t i = 0; i < keys.count; i++) drop_entry(&state.keys, key_name(space, keys.items[i].key));
    *removed = (uint32_t)keys.count;
    return error;
}

/* Bytes from an offset on; fewer where the content ends. */
static tuffet_bytes slice(tuffet_bytes content, uint64_t offset, uint32_t length) {
    size_t start = offset < content.length ? (size_t)offset : content.length, left = content.length - start;
    return copy(content.data + start, length < left ? length : left);
}

tuffet_error tuffet_upload_read(uint64_t offset, uint32_t length, tuffet_bytes *content) {
    *content = state.upload ? slice(*state.upload, offset, length) : copy(NULL, 0);
    return state.upload ? TUFFET_OK : tuffet_explained(TUFFET_WRONG_PHASE, "call tuffet_test_upload first");
}

static int by_label(const void *a, const void *b) {
    return strcmp(((const tuffet_pair *)a)->name, ((const tuffet_pair *)b)->name);
}

/* The value of a series, which begins at 0. */
static double *series(const char *name, tuffet_pairs labels, bool make) {
    tuffet_pair *sorted = tuffet_alloc(labels.count * sizeof(*sorted));
    if (labels.count) memcpy(sorted, labels.items, labels.count * sizeof(*sorted));
    qsort(sorted, labels.count, sizeof(*sorted), by_label);
    for (size_t i = 0; i < labels.count; i++) {
        name = tuffet_format("%s,%s=%s", name, sorted[i].name, tuffet_quote(sorted[i].value));
    }
    entry *found = find_entry(state.metrics, name);
    if (!found && make) {
        double *value = tuffet_alloc(sizeof(*value));
        found = add(&state.metrics, name, NULL, 0);
        found->content = (tuffet_bytes){(const unsigned char *)value, sizeof(*value)};
    }
    return found ? (double *)found->content.data : NULL;
}

tuffet_error tuffet_metrics_add(const char *name, uint64_t by, tuffet_pairs labels) {
    *series(name, labels, true) += (double)by;
    return TUFFET_OK;
}

tuffet_error tuffet_metrics_set(const char *name, double value, tuffet_pairs labels) {
    *series(name, labels, true) = value;
    return TUFFET_OK;
}

double tuffet_test_metric(const char *name, tuffet_pairs labels) {
    const double *value = series(name, labels, false);
    return value ? *value : 0;
}

void tuffet_test_put_history(const tuffet_past_request *requests, size_t count) {
    state.history = (tuffet_past_requests){requests, count};
}

tuffet_error tuffet_history_recent(tuffet_past_requests *requests) {
    *requests = state.history;
    return TUFFET_OK;
}

static const char *version_of(const entry *file) { return tuffet_format("%" PRIu64, file->revision); }

static tuffet_error no_file(void) { return tuffet_explained(TUFFET_NOT_FOUND, "there is no such file"); }

tuffet_error tuffet_files_stat(const char *root, const char *path, tuffet_metadata *metadata) {
    const entry *found = find_entry(state.files, file_name(root, path));
    *metadata = (tuffet_metadata){.version = ""};
    if (!found) return no_file();
    *metadata = (tuffet_metadata){.size = found->content.length, .version = version_of(found)};
    return TUFFET_OK;
}

tuffet_error tuffet_files_read(const char *root, const char *path, uint64_t limit, tuffet_bytes *content) {
    const entry *found = find_entry(state.files, file_name(root, path));
    *content = copy(NULL, 0);
    if (!found) return no_file();
    if (found->content.length > limit) return tuffet_explained(TUFFET_TOO_LARGE, "the file has more bytes than the limit");
    *content = found->content;
    return TUFFET_OK;
}

tuffet_error tuffet_files_read_at(const char *root, const char *path, const char *version, uint64_t offset,
                                  uint32_t length, tuffet_bytes *content) {
    const entry *found = find_entry(state.files, file_name(root, path));
    bool same = found && !strcmp(version_of(found), version);
    *content = same ? slice(found->content, offset, length) : copy(NULL, 0);
    return same ? TUFFET_OK : tuffet_explained(TUFFET_CHANGED, "the file has another version, or is gone");
}

tuffet_error tuffet_sinks_emit(const char *sink, const char *json) {
    if (strchr(json, '\n') || !tuffet_parse(json, strlen(json))) {
        return tuffet_explained(TUFFET_BAD_ARGUMENT, "a line is one JSON value");
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
    if (!given) return tuffet_explained(TUFFET_UNAVAILABLE, "no response was prepared");
    if (given->body.length > request->limit) return tuffet_explained(TUFFET_TOO_LARGE, "the body has more bytes than the limit");
    *response = *given;
    return TUFFET_OK;
}
