/* Tests of the parts of the SDK that need no server: settings, JSON, memory, stand-ins. */
#include "tuffet_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static const tuffet_value *parse(const char *text) { return tuffet_parse(text, strlen(text)); }

/* What tuffet_configure reads in a test. */
static void (*configure)(const tuffet_value *settings);

void tuffet_configure(const tuffet_value *settings) { configure(settings); }

static void json_is_read(void) {
    EXPECT(!strcmp(tuffet_string(parse("\"a\\n\\\"\\u00e9\\u65e5\\ud83d\\ude00\\/\"")), "a\n\"é日😀/"));
    EXPECT(tuffet_int(parse("-9223372036854775808"), INT64_MIN, INT64_MAX) == INT64_MIN);
    EXPECT(tuffet_uint(parse("18446744073709551615"), 0, UINT64_MAX) == UINT64_MAX);
    EXPECT(tuffet_double(parse(" 1.5e3 ")) == 1500);
    EXPECT(tuffet_bool(parse("true")) && !tuffet_bool(parse("false")));
    const tuffet_value *list = parse("[1, {\"a\": [null, \"b\"]} ]");
    EXPECT(tuffet_size(list) == 2 && tuffet_kind_of(tuffet_at(list, 1)) == TUFFET_MAP && !tuffet_at(list, 2));
    EXPECT(!strcmp(tuffet_json(tuffet_at(list, 1)), "{\"a\": [null, \"b\"]}"));
    const tuffet_value *inner = tuffet_first(tuffet_at(list, 1));
    EXPECT(!strcmp(tuffet_key(inner), "a") && !tuffet_next(inner) && !tuffet_key(list));
    EXPECT(tuffet_kind_of(tuffet_first(inner)) == TUFFET_NULL);
    EXPECT(tuffet_size(parse("[]")) == 0 && tuffet_size(parse("{ }")) == 0);
}

static void what_is_no_json_is_refused(void) {
    static const char *const bad[] = {
        "",       " ",      "01",      "1.",      "-",         "1e",       "+1",        ".5",      "tru",      "nul",
        "[1,]",   "[1 2]",  "[",       "{\"a\"}", "{\"a\":}",  "{a:1}",    "{\"a\":1,", "\"",      "\"\\\"",   "\"\\x\"",
        "\"\n\"", "[1]]",   "\"\\u12", "1 2",     "\"\\ud800", "\"\\ud800\\u0041\"",    "\"\\udc00\"", "{\"\\u0000\":1}",
        "\"\\u00g0\"",      "\"\\",    "\"a\\",
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        if (parse(bad[i])) fprintf(stderr, "%s\n", bad[i]);
        EXPECT(!parse(bad[i]));
    }
    EXPECT(!tuffet_parse("[\0]", 3));
    char deep[400];
    memset(deep, '[', 200);
    memset(deep + 200, ']', 200);
    EXPECT(!tuffet_parse(deep, sizeof(deep)));
    EXPECT(tuffet_parse(deep + 100, 200));
}

static void read_settings(const tuffet_value *settings) {
    tuffet_known(settings, "list", "n", "a/b~c", "s", NULL);
    const tuffet_value *list = tuffet_list(tuffet_get(settings, "list"));
    for (const tuffet_value *item = tuffet_first(list); item; item = tuffet_next(item)) tuffet_string(item);
    tuffet_int(tuffet_need(settings, "n"), 1, 10);
    tuffet_map(tuffet_get(settings, "a/b~c"));
    EXPECT(!strcmp(tuffet_string(tuffet_get(settings, "s")), ""));
}

static void problems_have_their_places(void) {
    configure = read_settings;
    EXPECT(tuffet_test_configure("{\"list\":[\"a\",2,{}],\"n\":1.5,\"a/b~c\":true,\"x\":0,\"s\":\"a\\u0000b\"}") == 6);
    static const char *const expected[] = {
        "/x: unknown key `x`; known here: list, n, a/b~c, s",
        "/list/1: 2 is not a text",
        "/list/2: a map is not a text",
        "/n: 1.5 is not a whole number of 1 to 10",
        "/a~1b~0c: true is not a map",
        "/s: a text must not contain a zero byte",
    };
    for (size_t i = 0; i < 6; i++) {
        if (strcmp(tuffet_test_problem(i), expected[i])) fprintf(stderr, "%s\n", tuffet_test_problem(i));
        EXPECT(!strcmp(tuffet_test_problem(i), expected[i]));
    }
    EXPECT(!tuffet_test_problem(6));
    EXPECT(tuffet_test_configure("{}") == 1 && !strcmp(tuffet_test_problem(0), ": the key `n` is missing"));
    EXPECT(tuffet_test_configure("{\"n\":null}") == 1);
    EXPECT(tuffet_test_configure("{\"n\":99999999999999999999}") == 1);
    EXPECT(tuffet_test_configure("{") == 1);
    EXPECT(tuffet_test_configure("{\"n\":10}") == 0);
    const char *clipped = "{\"n\":\"---------------------------------------------------äääää\"}";
    EXPECT(tuffet_test_configure(clipped) == 1 && strstr(tuffet_test_problem(0), "-ää... is not"));
}

static void texts_become_json(void) {
    EXPECT(!strcmp(tuffet_quote("a\"\\\n\x01é"), "\"a\\\"\\\\\\n\\u0001é\""));
    static const char *const broken[] = {"\x80", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\xff"};
    for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
        EXPECT(strstr(tuffet_quote(broken[i]), "\xef\xbf\xbd") && tuffet_kind_of(parse(tuffet_quote(broken[i]))));
    }
    EXPECT(!strcmp(tuffet_quote_bytes((tuffet_bytes){(const unsigned char *)"a\0b", 3}), "\"a\\u0000b\""));
}

static void memory_is_aligned_and_zeroed(void) {
    for (size_t size = 0; size < 70000; size = 2 * size + 1) {
        unsigned char *memory = tuffet_alloc(size);
        EXPECT((uintptr_t)memory % _Alignof(max_align_t) == 0);
        for (size_t i = 0; i < size; i++) EXPECT(memory[i] == 0);
        memset(memory, 0xff, size);
        tuffet_format("%d", 1);
    }
}

static bool is(tuffet_bytes bytes, const char *text) {
    return bytes.length == strlen(text) && !memcmp(bytes.data, text, bytes.length);
}

static void stand_ins_answer(void) {
    tuffet_bytes value;
    int64_t sum;
    EXPECT(tuffet_kv_get("a", &value) == TUFFET_NOT_FOUND && value.length == 0);
    EXPECT(!tuffet_kv_set("a", "x", 1, TUFFET_FOREVER) && !tuffet_kv_get("a", &value) && *value.data == 'x');
    EXPECT(!tuffet_kv_delete("a") && tuffet_kv_get("a", &value) == TUFFET_NOT_FOUND);
    EXPECT(!tuffet_kv_increment("n", 2, 60, &sum) && !tuffet_kv_increment("n", INT64_MAX, 60, &sum) && sum == INT64_MAX);
    tuffet_test_put_file("boot", "f", "text");
    EXPECT(tuffet_files_read("boot", "f", 3, &value) == TUFFET_TOO_LARGE && tuffet_error_message()[0]);
    EXPECT(!tuffet_files_read("boot", "f", 4, &value) && !strcmp((const char *)value.data, "text"));
    tuffet_metadata before, after;
    EXPECT(!tuffet_files_stat("boot", "f", &before) && before.size == 4);
    EXPECT(!tuffet_files_read_at("boot", "f", before.version, 2, 9, &value) && is(value, "xt"));
    tuffet_test_put_file("boot", "f", "other");
    EXPECT(tuffet_files_read_at("boot", "f", before.version, 0, 9, &value) == TUFFET_CHANGED && is(value, ""));
    EXPECT(!tuffet_files_stat("boot", "f", &after) && after.size == 5 && strcmp(before.version, after.version));
    EXPECT(tuffet_sinks_emit("out", "{") == TUFFET_BAD_ARGUMENT && !tuffet_sinks_emit("out", "[1]"));
    EXPECT(!strcmp(tuffet_test_emitted(0), "out [1]") && !tuffet_test_emitted(1));
    tuffet_log(TUFFET_LOG_WARN, "text", "a", "b", "c", "d", NULL);
    EXPECT(!strcmp(tuffet_test_logged(0), "warn: text a=b c=d"));
    tuffet_http_response response;
    EXPECT(tuffet_http_get("http://x", 9, &response) == TUFFET_UNAVAILABLE);
    tuffet_test_respond(204, "");
    EXPECT(!tuffet_http_get("http://x", 9, &response) && response.status == 204);
}

static void keys_have_revisions(void) {
    tuffet_entry first, second;
    EXPECT(!tuffet_kv_swap("a", NULL, "one", 3, TUFFET_FOREVER));
    EXPECT(!tuffet_kv_entry("a", &first) && is(first.value, "one"));
    EXPECT(tuffet_kv_swap("a", NULL, "two", 3, TUFFET_FOREVER) == TUFFET_CHANGED);
    EXPECT(!tuffet_kv_swap("a", &first.revision, "two", 3, 60));
    EXPECT(!tuffet_kv_entry("a", &second) && is(second.value, "two") && second.revision > first.revision);
    EXPECT(tuffet_kv_swap("a", &first.revision, "three", 5, 60) == TUFFET_CHANGED);
    EXPECT(tuffet_kv_swap("b", &first.revision, "x", 1, 60) == TUFFET_CHANGED);
    EXPECT(!strcmp(tuffet_error_name(TUFFET_CHANGED), "changed"));
}

static void keys_have_pages_and_shared_namespaces(void) {
    static const char *const all[] = {"host/b", "other", "host/a", "host/\xc3\xa4"};
    for (size_t i = 0; i < 4; i++) EXPECT(!tuffet_shared_kv_set("leases", all[i], "", 0, TUFFET_FOREVER));
    tuffet_list_of_keys keys;
    EXPECT(!tuffet_shared_kv_list("leases", "host/", NULL, 2, &keys) && keys.count == 2);
    EXPECT(!strcmp(keys.items[0].key, "host/a") && !strcmp(keys.items[1].key, "host/b"));
    EXPECT(!tuffet_shared_kv_list("leases", "host/", "host/b", 9, &keys) && keys.count == 1);
    EXPECT(!tuffet_shared_kv_list("leases", "", NULL, UINT32_MAX, &keys) && keys.count == 4);
    EXPECT(!tuffet_kv_list("", NULL, 9, &keys) && keys.count == 0);
    uint32_t removed;
    EXPECT(!tuffet_kv_set("h", "x", 1, TUFFET_FOREVER) && !tuffet_kv_list("h", NULL, 9, &keys) && keys.count == 1);
    EXPECT(is(keys.items[0].entry.value, "x") && keys.items[0].entry.revision);
    EXPECT(!tuffet_kv_delete_prefix("h", &removed) && removed == 1);
    EXPECT(!tuffet_kv_delete_prefix("h", &removed) && removed == 0);
    tuffet_label("canary");
    EXPECT(!strcmp(tuffet_test_label(), "canary") && !tuffet_test_label());
    EXPECT(tuffet_part_fail("away").kind == TUFFET_PART_FAIL && !strcmp(tuffet_verdict_fail("away").reason, "away"));
    tuffet_bytes value;
    int64_t sum;
    EXPECT(tuffet_kv_get("other", &value) == TUFFET_NOT_FOUND && !tuffet_shared_kv_get("leases", "other", &value));
    EXPECT(!tuffet_shared_kv_increment("leases", "n", 2, TUFFET_FOREVER, &sum) && sum == 2);
    EXPECT(!tuffet_shared_kv_delete("leases", "n"));
    tuffet_entry entry;
    EXPECT(tuffet_shared_kv_entry("leases", "n", &entry) == TUFFET_NOT_FOUND);
    EXPECT(!tuffet_shared_kv_swap("leases", "n", NULL, "x", 1, TUFFET_FOREVER));
}

static void uploads_metrics_and_history_have_stand_ins(void) {
    tuffet_bytes content;
    EXPECT(tuffet_upload_read(0, 1, &content) == TUFFET_WRONG_PHASE);
    tuffet_upload upload = tuffet_test_upload("boot", "up.bin", "content");
    EXPECT(upload.size == 7 && strlen(upload.sha256) == 64 && !strcmp(upload.path, "up.bin"));
    EXPECT(!tuffet_upload_read(3, 2, &content) && is(content, "te"));
    EXPECT(!tuffet_upload_read(5, UINT32_MAX, &content) && is(content, "nt"));
    EXPECT(!tuffet_upload_read(UINT64_MAX, 1, &content) && is(content, ""));
    static const tuffet_pair ab[] = {{"a", "x"}, {"b", "y"}}, ba[] = {{"b", "y"}, {"a", "x"}};
    EXPECT(!tuffet_metrics_add("hits", 1, (tuffet_pairs){ab, 2}) && !tuffet_metrics_add("hits", 2, (tuffet_pairs){ba, 2}));
    EXPECT(tuffet_test_metric("hits", (tuffet_pairs){ab, 2}) == 3 && tuffet_test_metric("hits", (tuffet_pairs){0}) == 0);
    EXPECT(!tuffet_metrics_set("size", 1.5, (tuffet_pairs){0}) && tuffet_test_metric("size", (tuffet_pairs){0}) == 1.5);
    tuffet_past_requests past;
    EXPECT(!tuffet_history_recent(&past) && past.count == 0);
    static const tuffet_past_request given = {TUFFET_READ, "a", TUFFET_OUTCOME_TIMED_OUT, 5};
    tuffet_test_put_history(&given, 1);
    EXPECT(!tuffet_history_recent(&past) && past.count == 1 && !strcmp(past.items[0].path, "a"));
}

static void requests_have_options_and_addresses(void) {
    tuffet_request request = tuffet_test_request("f");
    static const tuffet_pair options[] = {{"tsize", "0"}, {"blksize", "1428"}};
    request.options = (tuffet_pairs){options, 2};
    EXPECT(!strcmp(tuffet_request_option(&request, "blksize"), "1428") && !tuffet_request_option(&request, "timeout"));
    EXPECT(!tuffet_request_attribute(&request, "raw-name"));
    EXPECT(tuffet_client_network_macs(&request.client).count == 0);
    EXPECT(!tuffet_client_has_mac(&request.client, "02:00:5e:10:00:0f"));
    request.client.macs = tuffet_test_macs("02:00:5e:10:00:0f");
    static const char *const same[] = {"02:00:5e:10:00:0f", "02-00-5E-10-00-0F", "0200.5e10.000F", "02005E10000f"};
    for (size_t i = 0; i < 4; i++) EXPECT(tuffet_client_has_mac(&request.client, same[i]));
    static const char *const others[] = {"02:00:5e:10:00:0e", "02:00:5e:10:00", "02:00:5e:10:00:0f:0f", "", "no address"};
    for (size_t i = 0; i < 5; i++) EXPECT(!tuffet_client_has_mac(&request.client, others[i]));
    tuffet_mac_addresses macs = *request.client.macs;
    static const tuffet_mac claim = {"02:00:5e:10:00:0a", TUFFET_REQUESTED_NAME};
    macs.claimed = (tuffet_macs){&claim, 1};
    request.client.macs = &macs;
    EXPECT(!tuffet_client_has_mac(&request.client, claim.address));
    tuffet_macs network = tuffet_client_network_macs(&request.client);
    EXPECT(network.count == 1 && !strcmp(network.items[0].address, "02:00:5e:10:00:0f"));
    tuffet_macs claimed = tuffet_client_claimed_macs(&request.client);
    EXPECT(claimed.count == 1 && !strcmp(claimed.items[0].address, claim.address));
    tuffet_macs all = tuffet_client_any_macs(&request.client);
    EXPECT(all.count == 2 && !strcmp(all.items[0].address, "02:00:5e:10:00:0f"));
    EXPECT(!strcmp(all.items[1].address, claim.address) && !strcmp(all.items[1].source, claim.source));
    request.client.macs = NULL;
    EXPECT(tuffet_client_any_macs(&request.client).count == 0);
}

/* Of src/server.h, which makes `free` mean something else. */
tuffet_error tuffet_error_of(const char *code, const char *message);

static void errors_have_codes(void) {
    EXPECT(tuffet_error_of("too-large", "why") == TUFFET_TOO_LARGE && !strcmp(tuffet_error_message(), "why"));
    for (int error = TUFFET_NOT_GRANTED; error < TUFFET_OTHER_ERROR; error++) {
        EXPECT((int)tuffet_error_of(tuffet_error_name((tuffet_error)error), "") == error);
    }
    EXPECT(tuffet_error_of("ok", "") == TUFFET_OTHER_ERROR && tuffet_error_of("not-found", "") == TUFFET_OTHER_ERROR);
    tuffet_error other = tuffet_error_of("too-late", "of a later server");
    EXPECT(other == TUFFET_OTHER_ERROR && !strcmp(tuffet_error_name(other), "too-late"));
    EXPECT(!strcmp(tuffet_error_name(TUFFET_OK), "ok") && !strcmp(tuffet_error_name(TUFFET_UNAVAILABLE), "unavailable"));
}

static void answers_have_names_and_profiles(void) {
    EXPECT((tuffet_verdict){0}.kind == TUFFET_VERDICT_NONE && (tuffet_resolution){0}.kind == TUFFET_RESOLUTION_NONE);
    EXPECT((tuffet_acceptance){0}.kind == TUFFET_ACCEPTANCE_NONE && (tuffet_candidate){0}.kind == TUFFET_CANDIDATE_NONE);
    tuffet_verdict verdict = tuffet_verdict_allow(&(tuffet_profile){.ceilings.blksize = 512, .rate = 2048});
    EXPECT(verdict.profile.rate == 2048 && verdict.profile.ceilings.blksize == 512);
    EXPECT(!strcmp(tuffet_verdict_drop("away").reason, "away") && !strcmp(tuffet_resolution_drop("away").reason, "away"));
    tuffet_candidate candidates[] = {tuffet_candidate_file("boot", "a"), tuffet_candidate_rendering("key")};
    tuffet_resolution resolution = tuffet_resolution_serve(candidates, 2);
    memset(candidates, 0, sizeof(candidates));
    EXPECT(resolution.candidate_count == 2 && !strcmp(resolution.candidates[0].file.path, "a") && !resolution.else_next);
    EXPECT(resolution.candidates[1].kind == TUFFET_CANDIDATE_RENDERING && !strcmp(resolution.candidates[1].key, "key"));
    EXPECT(!strcmp(tuffet_resolution_files(&(tuffet_target){"boot", "b"}, 1).candidates[0].file.path, "b"));
    EXPECT(is(tuffet_resolution_content(NULL, "x", 1).candidates[0].content.data, "x"));
    EXPECT(!strcmp(tuffet_resolution_rendered("key").candidates[0].key, "key"));
    EXPECT(tuffet_rendering_content("n", "x", 1, TUFFET_FOREVER).kind == TUFFET_RENDERING_CONTENT);
    tuffet_beginning beginning = tuffet_beginning_parts(NULL, 1 << 30, 9);
    EXPECT(beginning.kind == TUFFET_BEGINNING_PARTS && beginning.size == 1 << 30 && beginning.ttl_seconds == 9);
    EXPECT(tuffet_beginning_whole().kind == TUFFET_BEGINNING_WHOLE);
    EXPECT(tuffet_beginning_deny(TUFFET_NOT_DEFINED, "m", "r").denial.code == TUFFET_NOT_DEFINED);
    EXPECT(is(tuffet_part_bytes("xyz", 2).bytes, "xy"));
    EXPECT(!strcmp(tuffet_part_deny(TUFFET_NOT_DEFINED, "m", "r").denial.reason, "r"));
    EXPECT(!strcmp(tuffet_one_line("a\nb\x7f\xc2\x85z"), "a b  z"));
    char long_text[1 + 2 * 150 + 1] = "a";
    for (size_t i = 0; i < 150; i++) memcpy(long_text + 1 + 2 * i, "\xc3\xa4", 2);
    EXPECT(strlen(tuffet_one_line(long_text)) == 199);
    EXPECT(strlen(tuffet_one_line(long_text + 1)) == 200);
}

/* With sanitizers, this finds reads and writes out of bounds. */
static void damaged_json_does_no_harm(void) {
    static const char whole[] = "{\"a\\u00e9\":[1,-2.5e+3,\"\\ud83d\\ude00\\n\",{}],\"b\":{\"c\":null,\"d\":[true,false]}}";
    uint64_t seed = 1;
    for (int round = 0; round < 50000; round++) {
        char *text = malloc(sizeof(whole));
        size_t length = sizeof(whole) - 1;
        memcpy(text, whole, length);
        for (int i = 0; i < 3; i++) {
            seed = seed * 6364136223846793005 + 1442695040888963407;
            text[(seed >> 33) % length] = "\"\\u{}[],:d80\0"[(seed >> 20) % 14];
        }
        length = (seed >> 12) % 3 ? length : (seed >> 40) % length;
        const tuffet_value *value = tuffet_parse(text, length);
        if (value) tuffet_quote(tuffet_json(value));
        free(text);
        tuffet_test_reset();
    }
}

int main(void) {
    void (*const tests[])(void) = {
        json_is_read,      what_is_no_json_is_refused,   problems_have_their_places, texts_become_json,
        stand_ins_answer,  memory_is_aligned_and_zeroed, damaged_json_does_no_harm,  keys_have_revisions,
        keys_have_pages_and_shared_namespaces, uploads_metrics_and_history_have_stand_ins, answers_have_names_and_profiles,
        requests_have_options_and_addresses, errors_have_codes,
    };
    for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
        tuffet_test_reset();
        tests[i]();
    }
    printf("%zu tests passed\n", sizeof(tests) / sizeof(*tests));
}
