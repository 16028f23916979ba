/* The reference guest in C. ../README.md says what it does. */
#ifndef REFERENCE_H
#define REFERENCE_H

#include "tuffet.h"

typedef enum hook { AUTHORIZE, RESOLVE, ACCEPT_UPLOAD } hook;

typedef enum answer_kind { ABSTAIN, TELL, DENY, ALLOW, DROP, SERVE, ACCEPT, RENAME, UNKNOWN } answer_kind;

typedef struct answer {
    answer_kind kind;
    tuffet_profile profile;
    tuffet_denial denial;
    /* The reason of a drop, or the path of a rename. */
    const char *text;
    /* Of `serve`, ready but for the keys of renderings, and for bytes that are counted: those have no data yet. */
    tuffet_candidate *candidates;
    size_t candidate_count;
    bool else_next, next_free;
} answer;

/* What is rendered for a key; `*` is any other. */
typedef struct render {
    const char *key;
    const tuffet_value *commands;
    const char *name;
    /* NULL: the results of the commands. */
    const char *content;
    /* So many bytes instead. */
    tuffet_number bytes;
    /* So many bytes in parts, instead of all that. */
    tuffet_number parts;
    /* The bytes of a part; as many as the server asks for otherwise. */
    tuffet_number part_bytes;
    /* What each part runs first. */
    const tuffet_value *each_part;
    /* The part that begins here or behind it is refused. */
    tuffet_number ends_at;
    uint32_t ttl_seconds;
    bool denies;
    tuffet_denial denial;
} render;

/* A rule answers when the guest is asked about a path; the first that fits counts. */
typedef struct rule {
    hook hook;
    /* A path, or a prefix of paths and `*`. */
    const char *path;
    const tuffet_value *commands;
    answer answer;
    /* Of the request, or NULL. */
    const char *label;
} rule;

typedef struct settings {
    rule *rules;
    size_t rule_count;
    const tuffet_value *configure;
    const char *observe;
    render *renders;
    size_t render_count;
} settings;

settings read_settings(const tuffet_value *given);

/* The texts of a map. */
tuffet_pairs read_pairs(const tuffet_value *map);

/* How many calls this instance has answered. */
extern uint64_t calls;

/* Why this call cannot answer: set by the command `fail`; NULL where it can. */
extern const char *failure;

/* JSON: a number, or null if it is absent; a text, or null; a map in the order of its keys. */
const char *shown_number(tuffet_number number);
const char *shown_text(const char *text);
const char *shown_pairs(tuffet_pairs pairs);

/* Appends the results of commands to a list, as JSON: `1,"text"`. */
const char *run_all(const char *results, const tuffet_value *commands, const tuffet_request *request,
                    const tuffet_upload *upload);

#endif
