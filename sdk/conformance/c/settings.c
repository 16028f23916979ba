#include <string.h>

#include "reference.h"

static const char *const hooks[] = {"authorize", "resolve", "accept-upload"};

static const char *const words[] = {"abstain", "allow",  "deny", "drop",            "files", "content", "bytes",
                                    "accept",  "rename", "tell", "files-else-next", "named", "rendered"};

/* The answers that a hook can give. */
static const bool fits[][UNKNOWN] = {
    [AUTHORIZE] = {[ABSTAIN] = true, [ALLOW] = true, [DENY] = true, [DROP] = true, [TELL] = true},
    [RESOLVE] = {[ABSTAIN] = true,
                 [FILES] = true,
                 [FILES_ELSE_NEXT] = true,
                 [CONTENT] = true,
                 [BYTES] = true,
                 [NAMED] = true,
                 [RENDERED] = true,
                 [DENY] = true,
                 [TELL] = true},
    [ACCEPT_UPLOAD] = {[ABSTAIN] = true, [ACCEPT] = true, [RENAME] = true, [DENY] = true, [TELL] = true},
};

/* Returns the position of a word, or the length of the list. */
static size_t find(const char *word, const char *const *list, size_t count) {
    size_t at = 0;
    while (at < count && strcmp(list[at], word)) at++;
    return at;
}

static uint64_t number(const tuffet_value *map, const char *key, uint64_t most) {
    return tuffet_uint(tuffet_get(map, key), 1, most);
}

static tuffet_number optional(const tuffet_value *map, const char *key, uint64_t most) {
    const tuffet_value *value = tuffet_get(map, key);
    return (tuffet_number){value != NULL, tuffet_uint(value, 0, most)};
}

static tuffet_session_values read_values(const tuffet_value *given) {
    tuffet_known(tuffet_map(given), "blksize", "windowsize", "timeout", NULL);
    return (tuffet_session_values){
        .blksize = (uint16_t)number(given, "blksize", UINT16_MAX),
        .windowsize = (uint16_t)number(given, "windowsize", UINT16_MAX),
        .timeout = (uint8_t)number(given, "timeout", UINT8_MAX),
    };
}

static tuffet_profile read_profile(const tuffet_value *given) {
    tuffet_known(tuffet_map(given), "blksize", "windowsize", "timeout", "bytes", "floors", "overrides", "burst", "rate",
                 "refuse-options", NULL);
    const tuffet_value *bytes = tuffet_get(given, "bytes"), *options = tuffet_list(tuffet_get(given, "refuse-options"));
    const char **refused = tuffet_alloc(tuffet_size(options) * sizeof(*refused));
    size_t count = 0;
    for (const tuffet_value *option = tuffet_first(options); option; option = tuffet_next(option)) {
        refused[count++] = tuffet_string(option);
    }
    return (tuffet_profile){
        .blksize = (uint16_t)number(given, "blksize", UINT16_MAX),
        .windowsize = (uint16_t)number(given, "windowsize", UINT16_MAX),
        .timeout = (uint8_t)number(given, "timeout", UINT8_MAX),
        .bytes = {bytes != NULL, tuffet_uint(bytes, 0, UINT64_MAX)},
        .floors = read_values(tuffet_get(given, "floors")),
        .overrides = read_values(tuffet_get(given, "overrides")),
        .burst = (uint16_t)number(given, "burst", UINT16_MAX),
        .rate = number(given, "rate", UINT64_MAX),
        .refuse_options = refused,
        .refuse_option_count = count,
    };
}

static tuffet_denial read_denial(const tuffet_value *given) {
    static const char *const codes[] = {"not-defined", "file-not-found", "access-violation",
                                        "disk-full",   "file-exists",    "option-refused"};
    tuffet_known(tuffet_map(given), "code", "message", "reason", NULL);
    const tuffet_value *code = tuffet_need(given, "code");
    const char *word = tuffet_string(code);
    size_t number = find(word, codes, sizeof(codes) / sizeof(*codes));
    if (*word && number == sizeof(codes) / sizeof(*codes)) tuffet_problem(code, "there is no code `%s`", word);
    return (tuffet_denial){
        .code = (tuffet_error_code)number,
        .message = tuffet_string(tuffet_need(given, "message")),
        .reason = tuffet_string(tuffet_need(given, "reason")),
    };
}

static void read_files(const tuffet_value *given, answer *answer) {
    answer->files = tuffet_alloc(tuffet_size(given) * sizeof(*answer->files));
    for (const tuffet_value *file = tuffet_first(tuffet_list(given)); file; file = tuffet_next(file)) {
        const char *text = tuffet_string(file), *colon = strchr(text, ':');
        if (!colon) continue;
        answer->files[answer->file_count++] =
            (tuffet_target){tuffet_format("%.*s", (int)(colon - text), text), colon + 1};
    }
}

/* An answer is a word, or a map with one key. */
static answer read_answer(const tuffet_value *given) {
    const tuffet_value *more = tuffet_kind_of(given) == TUFFET_MAP ? tuffet_first(given) : NULL;
    const char *word = more ? tuffet_key(more) : tuffet_string(given);
    answer answer = {.kind = (answer_kind)find(word, words, UNKNOWN)};
    switch (answer.kind) {
    case ALLOW:
        answer.profile = read_profile(more);
        break;
    case DENY:
        answer.denial = read_denial(more);
        break;
    case FILES:
    case FILES_ELSE_NEXT:
        read_files(more, &answer);
        break;
    case NAMED:
        tuffet_known(tuffet_map(more), "name", "content", NULL);
        answer.name = tuffet_string(tuffet_need(more, "name"));
        answer.text = tuffet_string(tuffet_need(more, "content"));
        break;
    case CONTENT:
    case RENAME:
    case RENDERED:
        answer.text = tuffet_string(more);
        break;
    case BYTES:
        answer.count = (size_t)tuffet_uint(more, 0, SIZE_MAX);
        break;
    case UNKNOWN:
        tuffet_problem(given, "unknown answer `%s`", word);
        break;
    default:
        break;
    }
    return answer;
}

static rule read_rule(const tuffet_value *given) {
    tuffet_known(tuffet_map(given), "hook", "path", "do", "answer", NULL);
    const tuffet_value *path = tuffet_need(given, "path"), *answer = tuffet_need(given, "answer");
    const tuffet_value *named = tuffet_need(given, "hook");
    rule rule = {
        .hook = (hook)find(tuffet_string(named), hooks, 3),
        .path = tuffet_string(path),
        .commands = tuffet_list(tuffet_get(given, "do")),
        .answer = read_answer(answer),
    };
    if (rule.hook > ACCEPT_UPLOAD) {
        tuffet_problem(named, "there is no hook %s", tuffet_json(named));
        return rule;
    }
    if (!*rule.path) tuffet_problem(path, "a path is needed");
    if (rule.answer.kind < UNKNOWN && !fits[rule.hook][rule.answer.kind]) {
        tuffet_problem(answer, "%s cannot answer %s", hooks[rule.hook], words[rule.answer.kind]);
    }
    return rule;
}

static render read_render(const tuffet_value *given) {
    tuffet_known(tuffet_map(given), "do", "name", "content", "bytes", "parts", "part-bytes", "each-part", "ends-at",
                 "ttl-seconds", "deny", NULL);
    const tuffet_value *name = tuffet_get(given, "name"), *content = tuffet_get(given, "content");
    const tuffet_value *ttl = tuffet_get(given, "ttl-seconds");
    const tuffet_value *deny = tuffet_get(given, "deny");
    return (render){
        .key = tuffet_key(given),
        .commands = tuffet_list(tuffet_get(given, "do")),
        .name = name ? tuffet_string(name) : NULL,
        .content = content ? tuffet_string(content) : NULL,
        .bytes = optional(given, "bytes", SIZE_MAX),
        .parts = optional(given, "parts", UINT64_MAX),
        .part_bytes = optional(given, "part-bytes", UINT32_MAX),
        .each_part = tuffet_list(tuffet_get(given, "each-part")),
        .ends_at = optional(given, "ends-at", UINT64_MAX),
        .ttl_seconds = ttl ? (uint32_t)tuffet_uint(ttl, 0, UINT32_MAX - 1) : TUFFET_FOREVER,
        .denies = deny != NULL,
        .denial = deny ? read_denial(deny) : (tuffet_denial){0},
    };
}

settings read_settings(const tuffet_value *given) {
    tuffet_known(given, "rules", "configure", "observe", "renders", NULL);
    const tuffet_value *rules = tuffet_list(tuffet_get(given, "rules")), *observe = tuffet_get(given, "observe");
    const tuffet_value *renders = tuffet_map(tuffet_get(given, "renders"));
    settings settings = {
        .renders = tuffet_alloc(tuffet_size(renders) * sizeof(render)),
        .rules = tuffet_alloc(tuffet_size(rules) * sizeof(rule)),
        .configure = tuffet_list(tuffet_get(given, "configure")),
        .observe = observe ? tuffet_string(observe) : NULL,
    };
    for (const tuffet_value *rule = tuffet_first(rules); rule; rule = tuffet_next(rule)) {
        settings.rules[settings.rule_count++] = read_rule(rule);
    }
    for (const tuffet_value *render = tuffet_first(renders); render; render = tuffet_next(render)) {
        settings.renders[settings.render_count++] = read_render(render);
    }
    return settings;
}
