/* Answers, and the words for facts of requests. */
#include <string.h>

#include "../tuffet.h"
#include "memory.h"

/* The label of the call that runs. */
static const char *given_label;

void tuffet_label(const char *text) { given_label = text; }

const char *tuffet_take_label(void) {
    const char *taken = given_label;
    given_label = NULL;
    return taken;
}

tuffet_verdict tuffet_verdict_abstain(void) { return (tuffet_verdict){.kind = TUFFET_VERDICT_ABSTAIN}; }

tuffet_verdict tuffet_verdict_allow(const tuffet_profile *profile) {
    tuffet_verdict verdict = {.kind = TUFFET_VERDICT_ALLOW};
    if (profile) verdict.profile = *profile;
    return verdict;
}

tuffet_verdict tuffet_verdict_fail(const char *reason) {
    return (tuffet_verdict){.kind = TUFFET_VERDICT_FAIL, .reason = reason};
}

tuffet_verdict tuffet_verdict_deny(tuffet_error_code code, const char *message, const char *reason) {
    return (tuffet_verdict){.kind = TUFFET_VERDICT_DENY, .denial = {code, message, reason}};
}

tuffet_verdict tuffet_verdict_drop(const char *reason) {
    return (tuffet_verdict){.kind = TUFFET_VERDICT_DROP, .reason = reason};
}

tuffet_candidate tuffet_candidate_file(const char *root, const char *path) {
    return (tuffet_candidate){.kind = TUFFET_CANDIDATE_FILE, .file = {root, path}};
}

tuffet_candidate tuffet_candidate_content(const char *name, const void *data, size_t length) {
    return (tuffet_candidate){.kind = TUFFET_CANDIDATE_CONTENT, .content = {.name = name, .data = {data, length}}};
}

tuffet_candidate tuffet_candidate_rendering(const char *key) {
    return (tuffet_candidate){.kind = TUFFET_CANDIDATE_RENDERING, .key = key};
}

tuffet_resolution tuffet_resolution_abstain(void) { return (tuffet_resolution){.kind = TUFFET_RESOLUTION_ABSTAIN}; }

tuffet_resolution tuffet_resolution_serve(const tuffet_candidate *candidates, size_t count) {
    tuffet_candidate *copy = TUFFET_NEW(tuffet_candidate, count);
    for (size_t i = 0; i < count; i++) copy[i] = candidates[i];
    return (tuffet_resolution){.kind = TUFFET_RESOLUTION_SERVE, .candidates = copy, .candidate_count = count};
}

static tuffet_resolution serve_one(tuffet_candidate candidate) { return tuffet_resolution_serve(&candidate, 1); }

tuffet_resolution tuffet_resolution_file(const char *root, const char *path) {
    return serve_one(tuffet_candidate_file(root, path));
}

tuffet_resolution tuffet_resolution_files(const tuffet_target *files, size_t count) {
    tuffet_candidate *candidates = TUFFET_NEW(tuffet_candidate, count);
    for (size_t i = 0; i < count; i++) candidates[i] = tuffet_candidate_file(files[i].root, files[i].path);
    return (tuffet_resolution){.kind = TUFFET_RESOLUTION_SERVE, .candidates = candidates, .candidate_count = count};
}

tuffet_resolution tuffet_resolution_content(const char *name, const void *data, size_t length) {
    return serve_one(tuffet_candidate_content(name, data, length));
}

tuffet_resolution tuffet_resolution_rendered(const char *key) { return serve_one(tuffet_candidate_rendering(key)); }

tuffet_resolution tuffet_resolution_fail(const char *reason) {
    return (tuffet_resolution){.kind = TUFFET_RESOLUTION_FAIL, .reason = reason};
}

tuffet_resolution tuffet_resolution_deny(tuffet_error_code code, const char *message, const char *reason) {
    return (tuffet_resolution){.kind = TUFFET_RESOLUTION_DENY, .denial = {code, message, reason}};
}

tuffet_resolution tuffet_resolution_drop(const char *reason) {
    return (tuffet_resolution){.kind = TUFFET_RESOLUTION_DROP, .reason = reason};
}

tuffet_rendering tuffet_rendering_content(const char *name, const void *data, size_t length, uint32_t ttl_seconds) {
    return (tuffet_rendering){.kind = TUFFET_RENDERING_CONTENT,
                              .content = {.name = name, .data = {data, length}},
                              .ttl_seconds = ttl_seconds};
}

tuffet_rendering tuffet_rendering_fail(const char *reason) {
    return (tuffet_rendering){.kind = TUFFET_RENDERING_FAIL, .reason = reason};
}

tuffet_rendering tuffet_rendering_deny(tuffet_error_code code, const char *message, const char *reason) {
    return (tuffet_rendering){.kind = TUFFET_RENDERING_DENY, .denial = {code, message, reason}};
}

tuffet_beginning tuffet_beginning_parts(const char *name, uint64_t size, uint32_t ttl_seconds) {
    return (tuffet_beginning){.kind = TUFFET_BEGINNING_PARTS, .name = name, .size = size, .ttl_seconds = ttl_seconds};
}

tuffet_beginning tuffet_beginning_whole(void) { return (tuffet_beginning){.kind = TUFFET_BEGINNING_WHOLE}; }

tuffet_beginning tuffet_beginning_fail(const char *reason) {
    return (tuffet_beginning){.kind = TUFFET_BEGINNING_FAIL, .reason = reason};
}

tuffet_beginning tuffet_beginning_deny(tuffet_error_code code, const char *message, const char *reason) {
    return (tuffet_beginning){.kind = TUFFET_BEGINNING_DENY, .denial = {code, message, reason}};
}

tuffet_part tuffet_part_bytes(const void *data, size_t length) {
    return (tuffet_part){.kind = TUFFET_PART_BYTES, .bytes = {data, length}};
}

tuffet_part tuffet_part_fail(const char *reason) {
    return (tuffet_part){.kind = TUFFET_PART_FAIL, .reason = reason};
}

tuffet_part tuffet_part_deny(tuffet_error_code code, const char *message, const char *reason) {
    return (tuffet_part){.kind = TUFFET_PART_DENY, .denial = {code, message, reason}};
}

const char *tuffet_one_line(const char *text) {
    size_t length = strlen(text), end = length < 200 ? length : 200;
    while (end && end < length && ((unsigned char)text[end] & 0xc0) == 0x80) end--;
    char *line = tuffet_alloc(end + 1);
    size_t size = 0;
    for (size_t at = 0; at < end; at++) {
        unsigned char byte = (unsigned char)text[at];
        /* U+0080 to U+009F are control characters of two bytes. */
        bool two = byte == 0xc2 && at + 1 < end && (unsigned char)text[at + 1] < 0xa0;
        line[size++] = byte < 0x20 || byte == 0x7f || two ? ' ' : text[at];
        at += two;
    }
    return line;
}

tuffet_acceptance tuffet_acceptance_abstain(void) { return (tuffet_acceptance){.kind = TUFFET_ACCEPTANCE_ABSTAIN}; }

tuffet_acceptance tuffet_acceptance_accept(void) { return (tuffet_acceptance){.kind = TUFFET_ACCEPTANCE_ACCEPT}; }

tuffet_acceptance tuffet_acceptance_rename(const char *path) {
    return (tuffet_acceptance){.kind = TUFFET_ACCEPTANCE_RENAME, .path = path};
}

tuffet_acceptance tuffet_acceptance_fail(const char *reason) {
    return (tuffet_acceptance){.kind = TUFFET_ACCEPTANCE_FAIL, .reason = reason};
}

tuffet_acceptance tuffet_acceptance_deny(tuffet_error_code code, const char *message, const char *reason) {
    return (tuffet_acceptance){.kind = TUFFET_ACCEPTANCE_DENY, .denial = {code, message, reason}};
}

const char *tuffet_find(tuffet_pairs pairs, const char *name) {
    for (size_t i = 0; i < pairs.count; i++) {
        if (!strcmp(pairs.items[i].name, name)) return pairs.items[i].value;
    }
    return NULL;
}

const char *tuffet_operation_name(tuffet_operation operation) { return operation == TUFFET_READ ? "read" : "write"; }

const char *tuffet_mode_name(tuffet_mode mode) { return mode == TUFFET_OCTET ? "octet" : "netascii"; }
