/* The reference guest in C. ../README.md says what it does. */
#ifndef REFERENCE_H
#define REFERENCE_H

#include "tuffet.h"

typedef enum hook { AUTHORIZE, RESOLVE, ACCEPT_UPLOAD } hook;

typedef enum answer_kind {
    ABSTAIN,
    ALLOW,
    DENY,
    DROP,
    FILES,
    CONTENT,
    BYTES,
    ACCEPT,
    RENAME,
    TELL,
    UNKNOWN,
} answer_kind;

typedef struct answer {
    answer_kind kind;
    tuffet_limits limits;
    tuffet_denial denial;
    tuffet_target *files;
    size_t file_count;
    const char *text;
    size_t count;
} answer;

/* A rule answers when the guest is asked about a path; the first that fits counts. */
typedef struct rule {
    hook hook;
    /* A path, or a prefix of paths and `*`. */
    const char *path;
    const tuffet_value *commands;
    answer answer;
} rule;

typedef struct settings {
    rule *rules;
    size_t rule_count;
    const tuffet_value *configure;
    const char *observe;
} settings;

settings read_settings(const tuffet_value *given);

/* How many calls this instance has answered. */
extern uint64_t calls;

/* Appends the results of commands to a list, as JSON: `1,"text"`. */
const char *run_all(const char *results, const tuffet_value *commands, const tuffet_request *request,
                    const tuffet_upload *upload);

#endif
