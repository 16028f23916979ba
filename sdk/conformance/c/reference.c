#include "reference.h"

#include <inttypes.h>
#include <string.h>

static settings its;
static const char *configured = "";

static const answer abstain = {.kind = ABSTAIN};

void tuffet_configure(const tuffet_value *given) {
    its = read_settings(given);
    configured = run_all("", its.configure, NULL, NULL);
}

static bool fits(const rule *rule, hook asked, const char *path) {
    size_t length = strlen(rule->path);
    if (asked != rule->hook) return false;
    if (length && rule->path[length - 1] == '*') return !strncmp(rule->path, path, length - 1);
    return !strcmp(rule->path, path);
}

/* Returns the answer, and the results of the commands as JSON. */
static const answer *ask(hook hook, const tuffet_request *request, const tuffet_upload *upload, const char **told) {
    calls++;
    for (size_t i = 0; i < its.rule_count; i++) {
        const rule *rule = &its.rules[i];
        if (fits(rule, hook, request->path)) {
            *told = tuffet_format("[%s]", run_all(configured, rule->commands, request, upload));
            return &rule->answer;
        }
    }
    return &abstain;
}

tuffet_verdict tuffet_authorize(const tuffet_request *request) {
    const char *told;
    const answer *answer = ask(AUTHORIZE, request, NULL, &told);
    switch (answer->kind) {
    case ALLOW:
        return tuffet_verdict_allow(&answer->profile);
    case DENY:
        return (tuffet_verdict){.kind = TUFFET_VERDICT_DENY, .denial = answer->denial};
    case DROP:
        return tuffet_verdict_drop();
    case TELL:
        return tuffet_verdict_deny(TUFFET_ACCESS_VIOLATION, "told", told);
    default:
        return tuffet_verdict_abstain();
    }
}

/* Returns the text with a value in place of a mark. */
static const char *replaced(const char *text, const char *mark, const char *value) {
    const char *at = strstr(text, mark);
    if (!at) return text;
    return tuffet_format("%.*s%s%s", (int)(at - text), text, value, at + strlen(mark));
}

/* So many bytes: 0 to 255, again and again. */
static const unsigned char *counted(size_t count) {
    unsigned char *bytes = tuffet_alloc(count);
    for (size_t i = 0; i < count; i++) bytes[i] = (unsigned char)i;
    return bytes;
}

tuffet_resolution tuffet_resolve(const tuffet_request *request) {
    const char *told;
    const answer *answer = ask(RESOLVE, request, NULL, &told);
    switch (answer->kind) {
    case FILES:
        return tuffet_resolution_files(answer->files, answer->file_count);
    case CONTENT:
        return tuffet_resolution_content(answer->text, strlen(answer->text));
    case BYTES:
        return tuffet_resolution_content(counted(answer->count), answer->count);
    case FILES_ELSE_NEXT:
        return tuffet_resolution_files_else_next(answer->files, answer->file_count);
    case NAMED:
        return tuffet_resolution_named_content(answer->name, answer->text, strlen(answer->text));
    case RENDERED:
        return tuffet_resolution_rendered(replaced(answer->text, "{path}", request->path));
    case DENY:
        return (tuffet_resolution){.kind = TUFFET_RESOLUTION_DENY, .denial = answer->denial};
    case TELL:
        return tuffet_resolution_content(told, strlen(told));
    default:
        return tuffet_resolution_abstain();
    }
}

static const render *render_of(const char *key) {
    for (size_t i = 0; i < its.render_count; i++) {
        if (!strcmp(its.renders[i].key, key)) return &its.renders[i];
    }
    return NULL;
}

/* Begins a call: returns what is rendered for a key, or NULL and the denial. */
static const render *rendered(const char *key, tuffet_denial *denial) {
    calls++;
    const render *render = render_of(key);
    if (!render) render = render_of("*");
    if (render) return render;
    const char *reason = tuffet_format("no rule for the key %s", tuffet_quote(key));
    *denial = (tuffet_denial){TUFFET_FILE_NOT_FOUND, "no such content", reason};
    return NULL;
}

tuffet_beginning tuffet_begin(const char *key) {
    tuffet_denial denial;
    const render *render = rendered(key, &denial);
    if (!render) return (tuffet_beginning){.kind = TUFFET_BEGINNING_DENY, .denial = denial};
    if (!render->parts.present) return tuffet_beginning_whole();
    run_all("", render->commands, NULL, NULL);
    if (render->denies) return (tuffet_beginning){.kind = TUFFET_BEGINNING_DENY, .denial = render->denial};
    return tuffet_beginning_parts(render->name, render->parts.value, render->ttl_seconds);
}

tuffet_part tuffet_render_part(const char *key, uint64_t offset, uint32_t length) {
    tuffet_denial denial;
    const render *render = rendered(key, &denial);
    if (!render) return (tuffet_part){.kind = TUFFET_PART_DENY, .denial = denial};
    run_all("", render->each_part, NULL, NULL);
    if (render->ends_at.present && offset >= render->ends_at.value) {
        return tuffet_part_deny(TUFFET_NOT_DEFINED, "it ends here", "on purpose");
    }
    if (render->part_bytes.present) length = (uint32_t)render->part_bytes.value;
    unsigned char *bytes = tuffet_alloc(length);
    for (uint32_t i = 0; i < length; i++) bytes[i] = (unsigned char)((offset + i) % 251);
    return tuffet_part_bytes(bytes, length);
}

tuffet_rendering tuffet_render(const char *key) {
    tuffet_denial denial;
    const render *render = rendered(key, &denial);
    if (!render) return (tuffet_rendering){.kind = TUFFET_RENDERING_DENY, .denial = denial};
    const char *told = tuffet_format("[%s]", run_all("", render->commands, NULL, NULL));
    if (render->denies) return (tuffet_rendering){.kind = TUFFET_RENDERING_DENY, .denial = render->denial};
    if (render->bytes.present) {
        size_t count = (size_t)render->bytes.value;
        return tuffet_rendering_content(render->name, counted(count), count, render->ttl_seconds);
    }
    const char *content = render->content ? render->content : told;
    return tuffet_rendering_content(render->name, content, strlen(content), render->ttl_seconds);
}

tuffet_acceptance tuffet_accept_upload(const tuffet_request *request, const tuffet_upload *upload) {
    const char *told;
    const answer *answer = ask(ACCEPT_UPLOAD, request, upload, &told);
    switch (answer->kind) {
    case ACCEPT:
        return tuffet_acceptance_accept();
    case RENAME:
        return tuffet_acceptance_rename(replaced(answer->text, "{sha256}", upload->sha256));
    case DENY:
        return (tuffet_acceptance){.kind = TUFFET_ACCEPTANCE_DENY, .denial = answer->denial};
    case TELL:
        return tuffet_acceptance_deny(TUFFET_ACCESS_VIOLATION, "told", told);
    default:
        return tuffet_acceptance_abstain();
    }
}

static const char *text_or_null(const char *text) { return text ? tuffet_quote(text) : "null"; }

static const char *number_or_null(tuffet_number number) {
    return number.present ? tuffet_format("%" PRIu64, number.value) : "null";
}

static const char *shown_start(const tuffet_start *start, uint64_t ms) {
    return tuffet_format("{\"started\":%s,\"path\":%s,\"resolved\":%s,\"verdict-by\":%s,\"size\":%s,\"ms\":%" PRIu64 "}",
                         tuffet_quote(start->request.id), tuffet_quote(start->request.path),
                         text_or_null(start->resolved), text_or_null(start->verdict_by), number_or_null(start->size), ms);
}

static const char *shown_progress(const tuffet_progress *progress) {
    return tuffet_format("{\"progressed\":%s,\"bytes\":%" PRIu64 ",\"size\":%s}", tuffet_quote(progress->id),
                         progress->bytes, number_or_null(progress->size));
}

static const char *shown_end(const tuffet_summary *end, uint64_t ms) {
    const char *decided = tuffet_format(
        "\"finished\":%s,\"path\":%s,\"outcome\":%s,\"detail\":%s,\"decision\":%s,\"resolved\":%s,\"verdict-by\":%s",
        tuffet_quote(end->request.id), tuffet_quote(end->request.path), tuffet_quote(tuffet_outcome_name(end->outcome)),
        text_or_null(end->detail), tuffet_quote(tuffet_decision_name(end->decision)), text_or_null(end->resolved),
        text_or_null(end->verdict_by));
    return tuffet_format("{%s,\"size\":%s,\"bytes\":%" PRIu64 ",\"blocks\":%" PRIu64
                         ",\"blksize\":%u,\"windowsize\":%u,\"retransmissions\":%" PRIu64 ",\"ms\":%" PRIu64 "}",
                         decided, number_or_null(end->size), end->bytes, end->blocks, end->blksize, end->windowsize,
                         end->retransmissions, ms);
}

static const char *shown(const tuffet_event *event) {
    if (event->started) return shown_start(event->started, event->unix_ms);
    if (event->progressed) return shown_progress(event->progressed);
    return shown_end(event->finished, event->unix_ms);
}

void tuffet_observe(const tuffet_event *events, size_t count) {
    for (size_t i = 0; its.observe && i < count; i++) {
        tuffet_error error = tuffet_sinks_emit(its.observe, shown(&events[i]));
        if (error) tuffet_fail("%s: %s", tuffet_error_name(error), tuffet_error_message());
    }
}
