#include <string.h>

#include "reference.h"

static const char *const hooks[] = {"authorize", "resolve", "accept-upload"};

static const char *const words[] = {"abstain", "tell", "deny", "allow", "drop", "serve", "accept", "rename"};

/* The answers that a hook can give. */
static const bool fits[][UNKNOWN] = {
    [AUTHORIZE] = {[ABSTAIN] = true, [TELL] = true, [DENY] = true, [ALLOW] = true, [DROP] = true},
    [RESOLVE] = {[ABSTAIN] = true, [TELL] = true, [DENY] = true, [SERVE] = true, [DROP] = true},
    [ACCEPT_UPLOAD] = {[ABSTAIN] = true, [TELL] = true, [DENY] = true, [ACCEPT] = true, [RENAME] = true},
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

tuffet_pairs read_pairs(const tuffet_value *map) {
    tuffet_pair *pairs = tuffet_alloc(tuffet_size(map) * sizeof(*pairs));
    size_t count = 0;
    for (const tuffet_value *pair = tuffet_first(map); pair; pair = tuffet_next(pair)) {
        pairs[count++] = (tuffet_pair){tuffet_key(pair), tuffet_string(pair)};
    }
    return (tuffet_pairs){pairs, count};
}

static tuffet_strings read_strings(const tuffet_value *given) {
    const char **texts = tuffet_alloc(tuffet_size(given) * sizeof(*texts));
    size_t count = 0;
    for (const tuffet_value *text = tuffet_first(tuffet_list(given)); text; text = tuffet_next(text)) {
        texts[count++] = tuffet_string(text);
    }
    return (tuffet_strings){texts, count};
}

static tuffet_profile read_profile(const tuffet_value *given) {
    tuffet_known(tuffet_map(given), "ceilings", "floors", "overrides", "max-size", "burst", "rate", "refuse-options",
                 "attributes", NULL);
    return (tuffet_profile){
        .ceilings = read_values(tuffet_get(given, "ceilings")),
        .floors = read_values(tuffet_get(given, "floors")),
        .overrides = read_values(tuffet_get(given, "overrides")),
        .max_size = optional(given, "max-size", UINT64_MAX),
        .burst = (uint16_t)number(given, "burst", UINT16_MAX),
        .rate = number(given, "rate", UINT64_MAX),
        .refuse_options = read_strings(tuffet_get(given, "refuse-options")),
        .attributes = read_pairs(tuffet_map(tuffet_get(given, "attributes"))),
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

static tuffet_candidate read_candidate(const tuffet_value *given) {
    if (tuffet_kind_of(given) == TUFFET_STRING) {
        const char *text = tuffet_string(given), *colon = strchr(text, ':');
        if (colon) return tuffet_candidate_file(tuffet_format("%.*s", (int)(colon - text), text), colon + 1);
        tuffet_problem(given, "a file is ROOT:PATH");
        return (tuffet_candidate){0};
    }
    tuffet_known(tuffet_map(given), "content", "bytes", "name", "rendering", NULL);
    const tuffet_value *name = tuffet_get(given, "name"), *bytes = tuffet_get(given, "bytes");
    const tuffet_value *key = tuffet_get(given, "rendering");
    if (key) return tuffet_candidate_rendering(tuffet_string(key));
    const char *text = bytes ? NULL : tuffet_string(tuffet_need(given, "content"));
    size_t length = text ? strlen(text) : (size_t)tuffet_uint(bytes, 0, SIZE_MAX);
    return tuffet_candidate_content(name ? tuffet_string(name) : NULL, text, length);
}

static void read_selection(const tuffet_value *given, answer *answer) {
    tuffet_known(tuffet_map(given), "candidates", "else-next", "profile", NULL);
    const tuffet_value *list = tuffet_list(tuffet_need(given, "candidates"));
    answer->candidates = tuffet_alloc(tuffet_size(list) * sizeof(*answer->candidates));
    for (const tuffet_value *candidate = tuffet_first(list); candidate; candidate = tuffet_next(candidate)) {
        answer->candidates[answer->candidate_count++] = read_candidate(candidate);
    }
    answer->else_next = tuffet_bool(tuffet_get(given, "else-next"));
    answer->profile = read_profile(tuffet_get(given, "profile"));
}

/* An answer is a word, or a map with one key. */
static answer read_answer(const tuffet_value *given) {
    const tuffet_value *more = tuffet_kind_of(given) == TUFFET_MAP ? tuffet_first(given) : NULL;
    const char *word = more ? tuffet_key(more) : tuffet_string(given);
    answer answer = {.kind = (answer_kind)find(word, words, UNKNOWN)};
    switch (answer.kind) {
    case DENY:
        answer.denial = read_denial(more);
        break;
    case ALLOW:
        answer.profile = read_profile(more);
        break;
    case DROP:
        answer.text = tuffet_string(more);
        break;
    case SERVE:
        read_selection(more, &answer);
        break;
    case RENAME:
        tuffet_known(tuffet_map(more), "path", "next-free", NULL);
        answer.text = tuffet_string(tuffet_need(more, "path"));
        answer.next_free = tuffet_bool(tuffet_get(more, "next-free"));
        break;
    case UNKNOWN:
        tuffet_problem(given, "unknown answer `%s`", word);
        return answer;
    default:
        return answer;
    }
    if (!more) tuffet_problem(given, "%s needs a value", word);
    return answer;
}

static rule read_rule(const tuffet_value *given) {
    tuffet_known(tuffet_map(given), "hook", "path", "do", "answer", "label", NULL);
    const tuffet_value *path = tuffet_need(given, "path"), *answer = tuffet_need(given, "answer");
    const tuffet_value *named = tuffet_need(given, "hook");
    rule rule = {
        .hook = (hook)find(tuffet_string(named), hooks, 3),
        .path = tuffet_string(path),
        .commands = tuffet_list(tuffet_get(given, "do")),
        .answer = read_answer(answer),
        .label = tuffet_get(given, "label") ? tuffet_string(tuffet_get(given, "label")) : NULL,
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
