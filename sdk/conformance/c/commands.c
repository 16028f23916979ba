/* The commands: what a plugin may do, and what it should not. */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wasi/api.h>

#include "reference.h"

uint64_t calls;

/* What is no text is empty. */
static const char *text(const tuffet_value *command, size_t at) {
    const tuffet_value *value = tuffet_at(command, at);
    return tuffet_kind_of(value) == TUFFET_STRING ? tuffet_string(value) : "";
}

/* What is no number is 0. */
static int64_t number(const tuffet_value *command, size_t at) {
    const tuffet_value *value = tuffet_at(command, at);
    return tuffet_kind_of(value) == TUFFET_NUMBER ? tuffet_int(value, INT64_MIN, INT64_MAX) : 0;
}

/* The time to live, which comes last. */
static uint32_t ttl(const tuffet_value *command) {
    return tuffet_kind_of(tuffet_at(command, 3)) == TUFFET_NULL ? TUFFET_FOREVER : (uint32_t)number(command, 3);
}

static const char *failed(tuffet_error error) { return tuffet_format("{\"error\":\"%s\"}", tuffet_error_name(error)); }

/* The result of a call; a missing key or file is null. */
static const char *result(tuffet_error error, const char *value) {
    if (error == TUFFET_NOT_FOUND) return "null";
    return error ? failed(error) : value;
}

/* A text that consists of one byte. */
static char *repeated(char byte, size_t count) {
    char *text = tuffet_alloc(count + 1);
    memset(text, byte, count);
    return text;
}

/* How many calls succeeded, and why the next did not. */
static const char *until_error(const tuffet_value *command, int64_t count, tuffet_error (*call)(const tuffet_value *, int64_t)) {
    for (int64_t i = 0; i < count; i++) {
        tuffet_error error = call(command, i);
        if (error) return tuffet_format("[%" PRId64 ",\"%s\"]", i, tuffet_error_name(error));
    }
    return tuffet_format("[%" PRId64 ",null]", count);
}

static tuffet_error set_one(const tuffet_value *command, int64_t i) {
    (void)command;
    return tuffet_kv_set(tuffet_format("key%" PRId64, i), "v", 1, TUFFET_FOREVER);
}

static tuffet_error read_one(const tuffet_value *command, int64_t i) {
    (void)i;
    tuffet_bytes content;
    tuffet_error error = tuffet_files_read(text(command, 1), text(command, 2), 1 << 30, &content);
    return error == TUFFET_NOT_FOUND ? TUFFET_OK : error;
}

static tuffet_error emit_one(const tuffet_value *command, int64_t i) {
    return tuffet_sinks_emit(text(command, 1), tuffet_format("%" PRId64, i));
}

static tuffet_error log_one(const tuffet_value *command, int64_t i) {
    (void)command;
    tuffet_log(TUFFET_LOG_ERROR, tuffet_format("line %" PRId64 " %s", i, repeated('x', 2000)), NULL);
    return TUFFET_OK;
}

static const char *kv(const char *word, const tuffet_value *command) {
    const char *first = text(command, 1), *second = text(command, 2);
    if (!strcmp(word, "kv-get")) {
        tuffet_bytes value;
        tuffet_error error = tuffet_kv_get(first, &value);
        return result(error, error ? NULL : tuffet_quote_bytes(value));
    }
    if (!strcmp(word, "kv-set")) return result(tuffet_kv_set(first, second, strlen(second), ttl(command)), "null");
    if (!strcmp(word, "kv-delete")) return result(tuffet_kv_delete(first), "null");
    if (!strcmp(word, "kv-sets")) return until_error(command, number(command, 1), set_one);
    if (!strcmp(word, "kv-fill")) {
        size_t length = (size_t)number(command, 2);
        const char *key = repeated('k', (size_t)number(command, 1));
        return result(tuffet_kv_set(key, repeated('v', length), length, TUFFET_FOREVER), "null");
    }
    int64_t sum;
    tuffet_error error = tuffet_kv_increment(first, number(command, 2), ttl(command), &sum);
    return result(error, tuffet_format("%" PRId64, sum));
}

static const char *quoted_result(tuffet_error error, tuffet_bytes value) {
    return result(error, error ? NULL : tuffet_quote_bytes(value));
}

/* Whether a key was swapped. */
static const char *swap_result(tuffet_error error) {
    return error == TUFFET_CHANGED ? "false" : result(error, "true");
}

/* The commands that name a shared namespace, or null for the plugin's own. */
static const char *keys(const char *word, const tuffet_value *command) {
    bool own = tuffet_kind_of(tuffet_at(command, 1)) == TUFFET_NULL;
    const char *space = text(command, 1), *key = text(command, 2), *value = text(command, tuffet_size(command) - 1);
    size_t length = strlen(value);
    const tuffet_value *third = tuffet_at(command, 3);
    if (!strcmp(word, "kv-list")) {
        const char *after = tuffet_kind_of(third) == TUFFET_NULL ? NULL : tuffet_string(third), *list = "";
        uint32_t limit = (uint32_t)number(command, 4);
        tuffet_strings found;
        tuffet_error error =
            own ? tuffet_kv_list(key, after, limit, &found) : tuffet_shared_kv_list(space, key, after, limit, &found);
        for (size_t i = 0; i < found.count; i++) {
            list = tuffet_format("%s%s%s", list, i ? "," : "", tuffet_quote(found.items[i]));
        }
        return result(error, tuffet_format("[%s]", list));
    }
    if (!strcmp(word, "kv-swap")) {
        bool there = tuffet_kind_of(third) == TUFFET_NUMBER;
        uint64_t revision = there ? tuffet_uint(third, 0, UINT64_MAX) : 0;
        const uint64_t *expected = there ? &revision : NULL;
        return swap_result(own ? tuffet_kv_swap(key, expected, value, length, TUFFET_FOREVER)
                               : tuffet_shared_kv_swap(space, key, expected, value, length, TUFFET_FOREVER));
    }
    tuffet_entry entry;
    tuffet_error error = own ? tuffet_kv_entry(key, &entry) : tuffet_shared_kv_entry(space, key, &entry);
    if (error && error != TUFFET_NOT_FOUND) return failed(error);
    const char *before = quoted_result(error, entry.value);
    const uint64_t *expected = error ? NULL : &entry.revision;
    error = own ? tuffet_kv_swap(key, expected, value, length, TUFFET_FOREVER)
                : tuffet_shared_kv_swap(space, key, expected, value, length, TUFFET_FOREVER);
    if (error && error != TUFFET_CHANGED) return failed(error);
    return tuffet_format("[%s,%s]", before, swap_result(error));
}

static const char *shared(const char *word, const tuffet_value *command) {
    const char *space = text(command, 1), *key = text(command, 2), *value = text(command, 3);
    if (!strcmp(word, "shared-get")) {
        tuffet_bytes found;
        tuffet_error error = tuffet_shared_kv_get(space, key, &found);
        return quoted_result(error, found);
    }
    if (!strcmp(word, "shared-set")) {
        return result(tuffet_shared_kv_set(space, key, value, strlen(value), TUFFET_FOREVER), "null");
    }
    if (!strcmp(word, "shared-delete")) return result(tuffet_shared_kv_delete(space, key), "null");
    int64_t sum;
    tuffet_error error = tuffet_shared_kv_increment(space, key, number(command, 3), TUFFET_FOREVER, &sum);
    return result(error, tuffet_format("%" PRId64, sum));
}

static tuffet_pairs map_pairs(const tuffet_value *map) {
    tuffet_pair *pairs = tuffet_alloc(tuffet_size(map) * sizeof(*pairs));
    size_t count = 0;
    for (const tuffet_value *field = tuffet_first(map); field; field = tuffet_next(field)) {
        pairs[count++] = (tuffet_pair){tuffet_key(field), tuffet_string(field)};
    }
    return (tuffet_pairs){pairs, count};
}

static tuffet_error count_one(const tuffet_value *command, int64_t i) {
    (void)command;
    return tuffet_metrics_add(tuffet_format("n%" PRId64, i), (tuffet_pairs){0}, 1);
}

static const char *metrics(const char *word, const tuffet_value *command) {
    if (!strcmp(word, "counts")) return until_error(command, number(command, 1), count_one);
    const char *name = text(command, 1);
    tuffet_pairs labels = map_pairs(tuffet_at(command, 3));
    if (!strcmp(word, "count")) return result(tuffet_metrics_add(name, labels, (uint64_t)number(command, 2)), "null");
    return result(tuffet_metrics_set(name, labels, tuffet_double(tuffet_at(command, 2))), "null");
}

static const char *history(void) {
    tuffet_past_requests past;
    tuffet_error error = tuffet_history_recent(&past);
    const char *list = "";
    for (size_t i = 0; i < past.count; i++) {
        const tuffet_past_request *its = &past.items[i];
        list = tuffet_format("%s%s[\"%s\",%s,\"%s\",%s]", list, i ? "," : "", tuffet_operation_name(its->operation),
                             tuffet_quote(its->path), tuffet_outcome_name(its->outcome),
                             its->ended_ms_ago < 600000 ? "true" : "false");
    }
    return result(error, tuffet_format("[%s]", list));
}

static const char *upload_read(const tuffet_value *command) {
    tuffet_bytes content;
    tuffet_error error = tuffet_upload_read((uint64_t)number(command, 1), (uint32_t)number(command, 2), &content);
    return quoted_result(error, content);
}

static const char *files(const char *word, const tuffet_value *command) {
    const char *root = text(command, 1), *path = text(command, 2);
    if (!strcmp(word, "reads")) return until_error(command, number(command, 3), read_one);
    if (!strcmp(word, "stat")) {
        tuffet_metadata found;
        tuffet_error error = tuffet_files_stat(root, path, &found);
        return result(error, tuffet_format("%" PRIu64, found.bytes));
    }
    tuffet_bytes content;
    tuffet_error error = tuffet_files_read(root, path, (uint64_t)number(command, 3), &content);
    return result(error, error ? NULL : tuffet_quote_bytes(content));
}

static const char *log_line(const tuffet_value *command) {
    static const char *const levels[] = {"trace", "debug", "info", "warn", "error"};
    size_t level = TUFFET_LOG_TRACE;
    while (level < TUFFET_LOG_ERROR && strcmp(levels[level], text(command, 1))) level++;
    tuffet_log_pairs((tuffet_level)level, text(command, 2), map_pairs(tuffet_at(command, 3)));
    return "null";
}

static const char *answered(tuffet_error error, const tuffet_http_response *response) {
    return error ? failed(error) : tuffet_format("[%u,%s]", response->status, tuffet_quote_bytes(response->body));
}

static const char *post(const tuffet_value *command) {
    static const tuffet_pair header = {"x-probe", "yes"};
    const char *body = text(command, 2);
    tuffet_http_request request = {
        .method = "POST",
        .url = text(command, 1),
        .headers = {&header, 1},
        .body = body,
        .body_length = strlen(body),
        .limit = 1 << 20,
    };
    tuffet_http_response response;
    return answered(tuffet_http_send(&request, &response), &response);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const tuffet_pair *)a)->name, ((const tuffet_pair *)b)->name);
}

static const char *shown_pairs(tuffet_pairs pairs) {
    tuffet_pair *sorted = tuffet_alloc(pairs.count * sizeof(*sorted));
    if (pairs.count) memcpy(sorted, pairs.items, pairs.count * sizeof(*sorted));
    qsort(sorted, pairs.count, sizeof(*sorted), by_name);
    const char *list = "";
    for (size_t i = 0; i < pairs.count; i++) {
        list = tuffet_format("%s%s%s:%s", list, i ? "," : "", tuffet_quote(sorted[i].name), tuffet_quote(sorted[i].value));
    }
    return tuffet_format("{%s}", list);
}

static const char *shown_request(const tuffet_request *request) {
    if (!request) return "null";
    const tuffet_client *client = &request->client;
    const char *macs = "";
    for (size_t i = 0; i < client->mac_count; i++) {
        macs = tuffet_format("%s%s[%s,\"%s\"]", macs, i ? "," : "", tuffet_quote(client->macs[i].address),
                             tuffet_mac_source_name(client->macs[i].source));
    }
    return tuffet_format("{\"attributes\":%s,\"class\":%s,\"client\":%s,\"id\":%s,\"listener\":%s,\"macs\":[%s],"
                         "\"mode\":\"%s\",\"operation\":\"%s\",\"options\":%s,\"path\":%s,\"port\":%u,\"requested\":%s}",
                         shown_pairs(request->attributes), tuffet_quote(client->class_name),
                         tuffet_quote(client->address), tuffet_quote(request->id), tuffet_quote(request->listener), macs,
                         tuffet_mode_name(request->mode), tuffet_operation_name(request->operation),
                         shown_pairs(request->options), tuffet_quote(request->path), client->port,
                         tuffet_quote(request->requested));
}

static const char *shown_upload(const tuffet_upload *upload) {
    if (!upload) return "null";
    return tuffet_format("{\"bytes\":%" PRIu64 ",\"path\":%s,\"root\":%s,\"sha256\":\"%s\"}", upload->bytes,
                         tuffet_quote(upload->path), tuffet_quote(upload->root), upload->sha256);
}

static const char *random_text(void) {
    uint64_t bits;
    if (getentropy(&bits, sizeof(bits))) tuffet_fail("there are no random numbers");
    return tuffet_format("\"%016" PRIx64 "\"", bits);
}

/* Takes memory and uses it. */
static void keep(size_t mebibytes) {
    volatile char *memory = malloc(mebibytes << 20);
    if (!memory) tuffet_fail("out of memory");
    for (size_t i = 0; i < mebibytes << 20; i += 4096) memory[i] = 1;
}

static uint64_t recurse(uint64_t depth) {
    volatile uint64_t frame[64];
    frame[depth % 64] = depth;
    /* It is never 0. */
    return frame[depth % 64] ? recurse(depth + 1) + frame[depth % 64] : 0;
}

/* Looks for what a plugin must not find. */
static void escape(void) {
    size_t arguments, variables, bytes;
    if (__wasi_args_sizes_get(&arguments, &bytes) || __wasi_environ_sizes_get(&variables, &bytes) ||
        arguments + variables) {
        tuffet_fail("environment or arguments");
    }
    if (opendir("/")) tuffet_fail("a file system");
    if (open("escaped", O_WRONLY | O_CREAT, 0600) >= 0) tuffet_fail("a file system to write to");
}

static const char *misbehave(const char *word, const tuffet_value *command) {
    if (!strcmp(word, "loop")) {
        for (volatile uint64_t n = 0; n != UINT64_MAX;) n = n / 2 + 1;
    } else if (!strcmp(word, "hog")) {
        for (;;) keep(1);
    } else if (!strcmp(word, "grow")) {
        keep((size_t)number(command, 1));
    } else if (!strcmp(word, "recurse")) {
        return tuffet_format("%" PRIu64, recurse(1));
    } else if (!strcmp(word, "sleep")) {
        sleep((unsigned)number(command, 1));
    } else if (!strcmp(word, "exit")) {
        exit((int)number(command, 1));
    } else if (!strcmp(word, "fail")) {
        tuffet_fail("%s", text(command, 1));
    } else if (!strcmp(word, "escape")) {
        escape();
    } else {
        tuffet_fail("no such command: %s", tuffet_json(command));
    }
    return "null";
}

static const char *run(const tuffet_value *command, const tuffet_request *request, const tuffet_upload *upload) {
    const char *word = text(command, 0);
    if (!strcmp(word, "kv-swap") || !strcmp(word, "kv-change") || !strcmp(word, "kv-list")) return keys(word, command);
    if (!strncmp(word, "kv-", 3)) return kv(word, command);
    if (!strncmp(word, "shared-", 7)) return shared(word, command);
    if (!strncmp(word, "count", 5) || !strcmp(word, "gauge")) return metrics(word, command);
    if (!strcmp(word, "history")) return history();
    if (!strcmp(word, "upload-read")) return upload_read(command);
    if (!strcmp(word, "stat") || !strcmp(word, "read") || !strcmp(word, "reads")) return files(word, command);
    if (!strcmp(word, "request")) return shown_request(request);
    if (!strcmp(word, "upload")) return shown_upload(upload);
    if (!strcmp(word, "emit")) return result(tuffet_sinks_emit(text(command, 1), tuffet_json(tuffet_at(command, 2))), "null");
    if (!strcmp(word, "emit-line")) return result(tuffet_sinks_emit(text(command, 1), text(command, 2)), "null");
    if (!strcmp(word, "emits")) return until_error(command, number(command, 2), emit_one);
    if (!strcmp(word, "log")) return log_line(command);
    if (!strcmp(word, "logs")) return until_error(command, number(command, 1), log_one);
    if (!strcmp(word, "get")) {
        tuffet_http_response response;
        return answered(tuffet_http_get(text(command, 1), (size_t)number(command, 2), &response), &response);
    }
    if (!strcmp(word, "post")) return post(command);
    if (!strcmp(word, "clock")) return tuffet_format("%lld", (long long)time(NULL));
    if (!strcmp(word, "random")) return random_text();
    if (!strcmp(word, "calls")) return tuffet_format("%" PRIu64, calls);
    return misbehave(word, command);
}

const char *run_all(const char *results, const tuffet_value *commands, const tuffet_request *request,
                    const tuffet_upload *upload) {
    for (const tuffet_value *command = tuffet_first(commands); command; command = tuffet_next(command)) {
        results = tuffet_format("%s%s%s", results, *results ? "," : "", run(command, request, upload));
    }
    return results;
}
