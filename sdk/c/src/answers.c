/* Answers, and the words for facts of requests. */
#include <string.h>

#include "../tuffet.h"

tuffet_verdict tuffet_verdict_abstain(void) { return (tuffet_verdict){.kind = TUFFET_VERDICT_ABSTAIN}; }

tuffet_verdict tuffet_verdict_allow(const tuffet_profile *profile) {
    return (tuffet_verdict){.kind = TUFFET_VERDICT_ALLOW, .profile = profile ? *profile : (tuffet_profile){0}};
}

tuffet_verdict tuffet_verdict_deny(tuffet_error_code code, const char *message, const char *reason) {
    return (tuffet_verdict){.kind = TUFFET_VERDICT_DENY, .denial = {code, message, reason}};
}

tuffet_verdict tuffet_verdict_drop(void) { return (tuffet_verdict){.kind = TUFFET_VERDICT_DROP}; }

tuffet_resolution tuffet_resolution_abstain(void) { return (tuffet_resolution){.kind = TUFFET_RESOLUTION_ABSTAIN}; }

tuffet_resolution tuffet_resolution_file(const char *root, const char *path) {
    tuffet_target *file = tuffet_alloc(sizeof(*file));
    *file = (tuffet_target){root, path};
    return tuffet_resolution_files(file, 1);
}

tuffet_resolution tuffet_resolution_files(const tuffet_target *files, size_t count) {
    return (tuffet_resolution){.kind = TUFFET_RESOLUTION_FILES, .files = files, .file_count = count};
}

tuffet_resolution tuffet_resolution_files_else_next(const tuffet_target *files, size_t count) {
    return (tuffet_resolution){.kind = TUFFET_RESOLUTION_FILES_ELSE_NEXT, .files = files, .file_count = count};
}

tuffet_resolution tuffet_resolution_content(const void *data, size_t length) {
    return tuffet_resolution_named_content(NULL, data, length);
}

tuffet_resolution tuffet_resolution_named_content(const char *name, const void *data, size_t length) {
    return (tuffet_resolution){.kind = TUFFET_RESOLUTION_CONTENT, .content = {data, length}, .name = name};
}

tuffet_resolution tuffet_resolution_rendered(const char *key) {
    return (tuffet_resolution){.kind = TUFFET_RESOLUTION_RENDERED, .key = key};
}

tuffet_rendering tuffet_rendering_content(const char *name, const void *data, size_t length, uint32_t ttl_seconds) {
    return (tuffet_rendering){
        .kind = TUFFET_RENDERING_CONTENT, .content = {data, length}, .name = name, .ttl_seconds = ttl_seconds};
}

tuffet_rendering tuffet_rendering_deny(tuffet_error_code code, const char *message, const char *reason) {
    return (tuffet_rendering){.kind = TUFFET_RENDERING_DENY, .denial = {code, message, reason}};
}

tuffet_beginning tuffet_beginning_parts(const char *name, uint64_t size, uint32_t ttl_seconds) {
    return (tuffet_beginning){.kind = TUFFET_BEGINNING_PARTS, .size = size, .name = name, .ttl_seconds = ttl_seconds};
}

tuffet_beginning tuffet_beginning_whole(void) { return (tuffet_beginning){.kind = TUFFET_BEGINNING_WHOLE}; }

tuffet_beginning tuffet_beginning_deny(tuffet_error_code code, const char *message, const char *reason) {
    return (tuffet_beginning){.kind = TUFFET_BEGINNING_DENY, .denial = {code, message, reason}};
}

tuffet_part tuffet_part_bytes(const void *data, size_t length) {
    return (tuffet_part){.kind = TUFFET_PART_BYTES, .bytes = {data, length}};
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

tuffet_resolution tuffet_resolution_deny(tuffet_error_code code, const char *message, const char *reason) {
    return (tuffet_resolution){.kind = TUFFET_RESOLUTION_DENY, .denial = {code, message, reason}};
}

tuffet_acceptance tuffet_acceptance_abstain(void) { return (tuffet_acceptance){.kind = TUFFET_ACCEPTANCE_ABSTAIN}; }

tuffet_acceptance tuffet_acceptance_accept(void) { return (tuffet_acceptance){.kind = TUFFET_ACCEPTANCE_ACCEPT}; }

tuffet_acceptance tuffet_acceptance_rename(const char *path) {
    return (tuffet_acceptance){.kind = TUFFET_ACCEPTANCE_RENAME, .path = path};
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

/* A later server may know more than these. */
#define NAME(names, value) ((size_t)(value) < sizeof(names) / sizeof(*(names)) ? (names)[value] : "unknown")

const char *tuffet_operation_name(tuffet_operation operation) {
    static const char *const names[] = {"read", "write"};
    return NAME(names, operation);
}

const char *tuffet_mode_name(tuffet_mode mode) {
    static const char *const names[] = {"octet", "netascii"};
    return NAME(names, mode);
}

const char *tuffet_mac_source_name(tuffet_mac_source source) {
    static const char *const names[] = {"neighbour-table", "lease-file", "requested-name"};
    return NAME(names, source);
}

const char *tuffet_outcome_name(tuffet_outcome outcome) {
    static const char *const names[] = {"served",  "stored",    "probed",    "aborted",
                                        "denied", "not-found", "timed-out", "failed"};
    return NAME(names, outcome);
}

const char *tuffet_decision_name(tuffet_decision decision) {
    static const char *const names[] = {"granted", "refused", "dropped", "undecided"};
    return NAME(names, decision);
}
