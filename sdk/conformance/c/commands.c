/* The commands: what a plugin may do, and what it should not. */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wasi/api.h>

#include "reference.h"

uint64_t calls;
const char *failure;

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
    return tuffet_kind_of(tuffet_at(command, 4)) == TUFFET_NULL ? TUFFET_FOREVER : (uint32_t)number(command, 4);
}

static const char *failed(tuffet_error error) { return tuffet_format("{\"error\":\"%s\"}", tuffet_error_name(error)); }

/* The result of a call; a missing key or file is null. */
static const char *result(tuffet_error error, const char *value) {
    if (error == TUFFET_NOT_FOUND) return "null";
    return error ? failed(error) : value;
}

static const char *quoted_result(tuffet_error error, tuffet_bytes value) {
    return result(error, error ? NULL : tuffet_quote_bytes(value));
}

/* Whether a key was swapped. */
static const char *swap_result(tuffet_error error) {
    return error == TUFFET_CHANGED ? "false" : result(error, "true");
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

static const char *fill(const tuffet_value *command) {
    size_t length = (size_t)number(command, 2);
    const char *key = repeated('k', (size_t)number(command, 1));
    return result(tuffet_kv_set(key, repeated('v', length), length, TUFFET_FOREVER), "null");
}

static const char *list_keys(const char *space, const tuffet_value *command, bool with_values) {
    const char *after = tuffet_kind_of(tuffet_at(command, 3)) == TUFFET_NULL ? NULL : text(command, 3), *list = "";
    tuffet_list_of_keys found;
    tuffet_error error = tuffet_shared_kv_list(space, text(command, 2), after, (uint32_t)number(command, 4), &found);
    for (size_t i = 0; i < found.count; i++) {
        const char *shown = tuffet_quote(found.items[i].key);
        if (with_values) shown = tuffet_format("[%s,%s]", shown, tuffet_quote_bytes(found.items[i].entry.value));
        list = tuffet_format("%s%s%s", list, i ? "," : "", shown);
    }
    return result(error, tuffet_format("[%s]", list));
}

static const char *change(const char *space, const tuffet_value *command) {
    const char *key = text(command, 2), *value = text(command, 3);
    tuffet_entry entry;
    tuffet_error error = tuffet_shared_kv_entry(space, key, &entry);
    if (error && error != TUFFET_NOT_FOUND) return failed(error);
    const char *before = quoted_result(error, entry.value);
    const uint64_t *expected = error ? NULL : &entry.revision;
    error = tuffet_shared_kv_swap(space, key, expected, value, strlen(value), TUFFET_FOREVER);
    if (error && error != TUFFET_CHANGED) return failed(error);
    return tuffet_format("[%s,%s]", before, swap_result(error));
}

/* The commands that name a shared namespace, or null for the plugin's own. */
static const char *kv(const char *word, const tuffet_value *command) {
    const char *space = tuffet_kind_of(tuffet_at(command, 1)) == TUFFET_NULL ? NULL : text(command, 1);
    const char *key = text(command, 2), *value = text(command, 3);
    if (!strcmp(word, "list") || !strcmp(word, "entries")) return list_keys(space, command, !strcmp(word, "entries"));
    if (!strcmp(word, "delete-prefix")) {
        uint32_t removed;
        tuffet_error error = tuffet_shared_kv_delete_prefix(space, key, &removed);
        return result(error, tuffet_format("%" PRIu32, removed));
    }
    if (!strcmp(word, "change")) return change(space, command);
    if (!strcmp(word, "get")) {
        tuffet_bytes found;
        tuffet_error error = tuffet_shared_kv_get(space, key, &found);
        return quoted_result(error, found);
    }
    if (!strcmp(word, "set")) {
        return result(tuffet_shared_kv_set(space, key, value, strlen(value), ttl(command)), "null");
    }
    if (!strcmp(word, "delete")) return result(tuffet_shared_kv_delete(space, key), "null");
    if (!strcmp(word, "swap")) {
        bool there = tuffet_kind_of(tuffet_at(command, 3)) == TUFFET_NUMBER;
        uint64_t revision = there ? tuffet_uint(tuffet_at(command, 3), 0, UINT64_MAX) : 0;
        value = text(command, 4);
        return swap_result(
            tuffet_shared_kv_swap(space, key, there ? &revision : NULL, value, strlen(value), TUFFET_FOREVER));
    }
    int64_t sum;
    tuffet_error error = tuffet_shared_kv_increment(space, key, number(command, 3), ttl(command), &sum);
    return result(error, tuffet_format("%" PRId64, sum));
}

static tuffet_error count_one(const tuffet_value *command, int64_t i) {
    (void)command;
    return tuffet_metrics_add(tuffet_format("n%" PRId64, i), 1, (tuffet_pairs){0});
}

static const char *metrics(const char *word, const tuffet_value *command) {
    if (!strcmp(word, "counts")) return until_error(command, number(command, 1), count_one);
    const char *name = text(command, 1);
    tuffet_pairs labels = read_pairs(tuffet_at(command, 3));
    if (!strcmp(word, "count")) return result(tuffet_metrics_add(name, (uint64_t)number(command, 2), labels), "null");
    return result(tuffet_metrics_set(name, tuffet_double(tuffet_at(command, 2)), labels), "null");
}

static const char *history(void) {
    tuffet_past_requests past;
    tuffet_error error = tuffet_history_recent(&past);
    const char *list = "";
    for (size_t i = 0; i < past.count; i++) {
        const tuffet_past_request *its = &past.items[i];
        list = tuffet_format("%s%s[\"%s\",%s,%s,%s]", list, i ? "," : "", tuffet_operation_name(its->operation),
                             tuffet_quote(its->path), tuffet_quote(its->outcome),
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
        return result(error, tuffet_format("%" PRIu64, found.size));
    }
    tuffet_bytes content;
    tuffet_error error = tuffet_files_read(root, path, (uint64_t)number(command, 3), &content);
    return quoted_result(error, content);
}

/* Bytes of a version; with NULL, of the one that there is. Offset and length come last. */
static const char *read_at(const char *version, const tuffet_value *command) {
    const char *root = text(command, 1), *path = text(command, 2);
    size_t last = tuffet_size(command) - 1;
    tuffet_metadata found = {.version = version};
    tuffet_error error = version ? TUFFET_OK : tuffet_files_stat(root, path, &found);
    if (error) return result(error, NULL);
    tuffet_bytes content;
    error = tuffet_files_read_at(root, path, found.version, (uint64_t)number(command, last - 1),
                                 (uint32_t)number(command, last), &content);
    return quoted_result(error, content);
}

static const char *log_line(const tuffet_value *command) {
    static const char *const levels[] = {"trace", "debug", "info", "warn", "error"};
    size_t level = TUFFET_LOG_TRACE;
    while (level < TUFFET_LOG_ERROR && strcmp(levels[level], text(command, 1))) level++;
    tuffet_log_pairs((tuffet_level)level, text(command, 2), read_pairs(tuffet_at(command, 3)));
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

const char *shown_text(const char *text) { return text ? tuffet_quote(text) : "null"; }

const char *shown_number(tuffet_number number) {
    return number.present ? tuffet_format("%" PRIu64, number.value) : "null";
}

const char *shown_pairs(tuffet_pairs pairs) {
    tuffet_pair *sorted = tuffet_alloc(pairs.count * sizeof(*sorted));
    if (pairs.count) memcpy(sorted, pairs.items, pairs.count * sizeof(*sorted));
    qsort(sorted, pairs.count, sizeof(*sorted), by_name);
    const char *list = "";
    for (size_t i = 0; i < pairs.count; i++) {
        list = tuffet_format("%s%s%s:%s", list, i ? "," : "", tuffet_quote(sorted[i].name), tuffet_quote(sorted[i].value));
    }
    return tuffet_format("{%s}", list);
}

static const char *shown_macs(tuffet_macs macs) {
    const char *list = "";
    for (size_t i = 0; i < macs.count; i++) {
        list = tuffet_format("%s%s[%s,%s]", list, i ? "," : "", tuffet_quote(macs.items[i].address),
                             tuffet_quote(macs.items[i].source));
    }
    return tuffet_format("[%s]", list);
}

static const char *shown_addresses(const tuffet_mac_addresses *macs) {
    if (!macs) return "null";
    return tuffet_format("{\"claimed\":%s,\"network\":%s}", shown_macs(macs->claimed), shown_macs(macs->network));
}

static const char *shown_labels(tuffet_pairs labels) {
    const char *list = "";
    for (size_t i = 0; i < labels.count; i++) {
        list = tuffet_format("%s%s[%s,%s]", list, i ? "," : "", tuffet_quote(labels.items[i].name),
                             tuffet_quote(labels.items[i].value));
    }
    return tuffet_format("[%s]", list);
}

static const char *shown_lease(const tuffet_lease *lease) {
    if (!lease) return "null";
    return tuffet_format("{\"age\":%" PRIu64 ",\"architecture\":%s,\"client-id\":%s,\"expires\":%s,\"hostname\":%s,"
                         "\"mac\":%s,\"uuid\":%s,\"vendor-class\":%s}",
                         lease->age, shown_number(lease->architecture), shown_text(lease->client_id),
                         shown_number(lease->expires), shown_text(lease->hostname), shown_text(lease->mac),
                         shown_text(lease->uuid), shown_text(lease->vendor_class));
}

static const char *shown_arrival(const tuffet_arrival *arrival) {
    if (!arrival) return "null";
    return tuffet_format("{\"address\":%s,\"interface-name\":%s,\"vlan\":%s}", shown_text(arrival->address),
                         shown_text(arrival->interface_name), shown_number(arrival->vlan));
}

static const char *shown_request(const tuffet_request *request) {
    if (!request) return "null";
    const tuffet_client *client = &request->client;
    return tuffet_format("{\"arrival\":%s,\"attributes\":%s,\"class\":%s,\"client\":%s,\"id\":%s,\"labels\":%s,\"lease\":%s,"
                         "\"listener\":%s,\"macs\":%s,\"mode\":\"%s\",\"operation\":\"%s\",\"options\":%s,\"path\":%s,"
                         "\"port\":%u,\"requested\":%s,\"unix-ms\":%" PRIu64 "}",
                         shown_arrival(request->arrival), shown_pairs(request->attributes),
                         tuffet_quote(client->class_name), tuffet_quote(client->address), tuffet_quote(request->id),
                         shown_labels(request->labels), shown_lease(client->lease), tuffet_quote(request->listener), shown_addresses(client->macs),
                         tuffet_mode_name(request->mode), tuffet_operation_name(request->operation),
                         shown_pairs(request->options), tuffet_quote(request->path), client->port,
                         tuffet_quote(request->requested), request->unix_ms);
}

static const char *shown_upload(const tuffet_upload *upload) {
    if (!upload) return "null";
    return tuffet_format("{\"path\":%s,\"root\":%s,\"sha256\":\"%s\",\"size\":%" PRIu64 "}", tuffet_quote(upload->path),
                         tuffet_quote(upload->root), upload->sha256, upload->size);
}

static const char *has_mac(const tuffet_value *command, const tuffet_request *request) {
    if (!request) tuffet_fail("there is no request");
    return tuffet_client_has_mac(&request->client, text(command, 1)) ? "true" : "false";
}

static const char *macs(const tuffet_value *command, const tuffet_request *request) {
    if (!request) tuffet_fail("there is no request");
    const char *which = text(command, 1);
    if (!strcmp(which, "network")) return shown_macs(tuffet_client_network_macs(&request->client));
    if (!strcmp(which, "claimed")) return shown_macs(tuffet_client_claimed_macs(&request->client));
    return shown_macs(tuffet_client_any_macs(&request->client));
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
        failure = text(command, 1);
    } else if (!strcmp(word, "print")) {
        puts(text(command, 1));
    } else if (!strcmp(word, "escape")) {
        escape();
    } else {
        tuffet_fail("no such command: %s", tuffet_json(command));
    }
    return "null";
}

static const char *run(const tuffet_value *command, const tuffet_request *request, const tuffet_upload *upload) {
    const char *word = text(command, 0);
    if (!strcmp(word, "kv-fill")) return fill(command);
    if (!strcmp(word, "kv-sets")) return until_error(command, number(command, 1), set_one);
    if (!strncmp(word, "kv-", 3)) return kv(word + 3, command);
    if (!strncmp(word, "count", 5) || !strcmp(word, "gauge")) return metrics(word, command);
    if (!strcmp(word, "history")) return history();
    if (!strcmp(word, "upload-read")) return upload_read(command);
    if (!strcmp(word, "stat") || !strcmp(word, "read") || !strcmp(word, "reads")) return files(word, command);
    if (!strcmp(word, "read-at")) return read_at(NULL, command);
    if (!strcmp(word, "read-version")) return read_at(text(command, 3), command);
    if (!strcmp(word, "has-mac")) return has_mac(command, request);
    if (!strcmp(word, "macs")) return macs(command, request);
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
    for (const tuffet_value *command = tuffet_first(commands); command && !failure; command = tuffet_next(command)) {
        results = tuffet_format("%s%s%s", results, *results ? "," : "", run(command, request, upload));
    }
    return results;
}
