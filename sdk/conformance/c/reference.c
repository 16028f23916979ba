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
    failure = NULL;
    for (size_t i = 0; i < its.rule_count; i++) {
        const rule *rule = &its.rules[i];
        if (fits(rule, hook, request->path)) {
            *told = tuffet_format("[%s]", run_all(configured, rule->commands, request, upload));
            if (rule->label) tuffet_label(rule->label);
            return &rule->answer;
        }
    }
    return &abstain;
}

tuffet_verdict tuffet_authorize(const tuffet_request *request) {
    const char *told;
    const answer *answer = ask(AUTHORIZE, request, NULL, &told);
    if (failure) return tuffet_verdict_fail(failure);
    switch (answer->kind) {
    case ALLOW:
        return tuffet_verdict_allow(&answer->profile);
    case DENY:
        return (tuffet_verdict){.kind = TUFFET_VERDICT_DENY, .denial = answer->denial};
    case DROP:
        return tuffet_verdict_drop(answer->text);
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

/* Returns this many bytes: 0 to 255, again and again. */
static const unsigned char *counted(size_t count) {
    unsigned char *bytes = tuffet_alloc(count);
    for (size_t i = 0; i < count; i++) bytes[i] = (unsigned char)i;
    return bytes;
}

static tuffet_resolution serve(const answer *answer, const char *path) {
    tuffet_candidate *candidates = tuffet_alloc(answer->candidate_count * sizeof(*candidates));
    for (size_t i = 0; i < answer->candidate_count; i++) {
        candidates[i] = answer->candidates[i];
        tuffet_bytes *data = &candidates[i].content.data;
        if (candidates[i].key) candidates[i].key = replaced(candidates[i].key, "{path}", path);
        if (data->length && !data->data) data->data = counted(data->length);
    }
    tuffet_resolution resolution = tuffet_resolution_serve(candidates, answer->candidate_count);
    resolution.else_next = answer->else_next;
    resolution.profile = answer->profile;
    return resolution;
}

tuffet_resolution tuffet_resolve(const tuffet_request *request) {
    const char *told;
    const answer *answer = ask(RESOLVE, request, NULL, &told);
    if (failure) return tuffet_resolution_fail(failure);
    switch (answer->kind) {
    case SERVE:
        return serve(answer, request->path);
    case DENY:
        return (tuffet_resolution){.kind = TUFFET_RESOLUTION_DENY, .denial = answer->denial};
    case DROP:
        return tuffet_resolution_drop(answer->text);
    case TELL:
        return tuffet_resolution_content(NULL, told, strlen(told));
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
    failure = NULL;
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
    if (failure) return tuffet_beginning_fail(failure);
    if (render->denies) return (tuffet_beginning){.kind = TUFFET_BEGINNING_DENY, .denial = render->denial};
    return tuffet_beginning_parts(render->name, render->parts.value, render->ttl_seconds);
}

tuffet_part tuffet_render_part(const char *key, uint64_t offset, uint32_t length) {
    tuffet_denial denial;
    const render *render = rendered(key, &denial);
    if (!render) return (tuffet_part){.kind = TUFFET_PART_DENY, .denial = denial};
    run_all("", render->each_part, NULL, NULL);
    if (failure) return tuffet_part_fail(failure);
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
    if (failure) return tuffet_rendering_fail(failure);
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
    if (failure) return tuffet_acceptance_fail(failure);
    switch (answer->kind) {
    case ACCEPT:
        return tuffet_acceptance_accept();
    case RENAME: {
        tuffet_acceptance acceptance = tuffet_acceptance_rename(replaced(answer->text, "{sha256}", upload->sha256));
        acceptance.next_free = answer->next_free;
        return acceptance;
    }
    case DENY:
        return (tuffet_acceptance){.kind = TUFFET_ACCEPTANCE_DENY, .denial = answer->denial};
    case TELL:
        return tuffet_acceptance_deny(TUFFET_ACCESS_VIOLATION, "told", told);
    default:
        return tuffet_acceptance_abstain();
    }
}

static const char *shown_target(const tuffet_target *target) {
    return tuffet_format("[%s,%s]", tuffet_quote(target->root), tuffet_quote(target->path));
}

static const char *shown_resolved(const tuffet_resolved *resolved) {
    switch (resolved->kind) {
    case TUFFET_RESOLVED_FILE:
        return tuffet_format("{\"file\":%s}", shown_target(&resolved->file));
    case TUFFET_RESOLVED_CONTENT:
        return tuffet_format("{\"content\":%s}", shown_text(resolved->name));
    default:
        return "null";
    }
}

static const char *shown_start(const tuffet_decided_request *start, const tuffet_event *event) {
    return tuffet_format("{\"decided-by\":%s,\"ms\":%" PRIu64 ",\"path\":%s,\"resolved\":%s,\"sequence\":%" PRIu64
                         ",\"size\":%s,\"started\":%s}",
                         shown_text(start->decided_by), event->unix_ms, tuffet_quote(start->request.path),
                         shown_resolved(&start->resolved), event->sequence, shown_number(start->size),
                         tuffet_quote(start->request.id));
}

static const char *shown_progress(const tuffet_progress *progress, const tuffet_event *event) {
    return tuffet_format("{\"ms\":%" PRIu64 ",\"progressed\":%s,\"sequence\":%" PRIu64
                         ",\"size\":%s,\"transferred\":%" PRIu64 "}",
                         event->unix_ms, tuffet_quote(progress->request_id), event->sequence,
                         shown_number(progress->size), progress->transferred);
}

static const char *shown_end(const tuffet_summary *end, const tuffet_event *event) {
    const tuffet_decided_request *decided = &end->decided;
    const char *tried = "";
    for (size_t i = 0; i < end->tried_count; i++) {
        tried = tuffet_format("%s%s%s", tried, i ? "," : "", shown_target(&end->tried[i]));
    }
    const char *first = tuffet_format("\"blksize\":%u,\"blocks\":%" PRIu64 ",\"decided-by\":%s,\"decision\":%s,"
                                      "\"detail\":%s,\"finished\":%s,\"ms\":%" PRIu64,
                                      end->blksize, end->blocks, shown_text(decided->decided_by),
                                      tuffet_quote(end->decision), shown_text(end->detail),
                                      tuffet_quote(decided->request.id), event->unix_ms);
    const char *second = tuffet_format("\"outcome\":%s,\"path\":%s,\"resolved\":%s,\"retransmissions\":%" PRIu64
                                       ",\"sequence\":%" PRIu64 ",\"size\":%s",
                                       tuffet_quote(end->outcome), tuffet_quote(decided->request.path),
                                       shown_resolved(&decided->resolved), end->retransmissions, event->sequence,
                                       shown_number(decided->size));
    return tuffet_format("{%s,%s,\"transferred\":%" PRIu64 ",\"tried\":[%s],\"tried-by\":%s,\"windowsize\":%u}", first,
                         second, end->transferred, tried, shown_text(end->tried_by), end->windowsize);
}

static const char *shown(const tuffet_event *event) {
    if (event->started) return shown_start(event->started, event);
    if (event->progressed) return shown_progress(event->progressed, event);
    if (event->finished) return shown_end(event->finished, event);
    const tuffet_other_event *other = event->other;
    return tuffet_format("{\"attributes\":%s,\"ms\":%" PRIu64 ",\"other\":%s,\"request-id\":%s,"
                         "\"sequence\":%" PRIu64 "}",
                         shown_pairs(other->attributes), event->unix_ms, tuffet_quote(other->kind),
                         shown_text(other->request_id), event->sequence);
}

void tuffet_observe(const tuffet_event *events, size_t count) {
    for (size_t i = 0; its.observe && i < count; i++) {
        tuffet_error error = tuffet_sinks_emit(its.observe, shown(&events[i]));
        if (error) tuffet_fail("%s: %s", tuffet_error_name(error), tuffet_error_message());
    }
}
