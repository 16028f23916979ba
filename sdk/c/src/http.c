/* HTTP requests, over wasi:http. */
#include <strings.h>

#include "memory.h"
#include "../bindings/http.c"
#include "server.h"

/* Bytes in a read or write. */
#define PART 4096

/* The parts of a URL. */
typedef struct address {
    bool tls;
    plugin_string_t authority;
    plugin_string_t path;
} address;

static tuffet_error invalid(const char *message) { return tuffet_explained(TUFFET_BAD_ARGUMENT, message); }

static tuffet_error no_answer(const char *message) { return tuffet_explained(TUFFET_UNAVAILABLE, message); }

/* Splits a URL. The server checks the parts. */
static bool split(const char *url, address *parts) {
    static const char http[] = "http://", https[] = "https://";
    parts->tls = !strncasecmp(url, https, sizeof(https) - 1);
    if (!parts->tls && strncasecmp(url, http, sizeof(http) - 1)) return false;
    url += parts->tls ? sizeof(https) - 1 : sizeof(http) - 1;
    size_t host = strcspn(url, "/?#"), rest = strcspn(url + host, "#");
    parts->authority = (plugin_string_t){(uint8_t *)url, host};
    /* A path begins with a slash. */
    char *path = tuffet_alloc(rest + 2);
    char *out = path;
    if (url[host] != '/') *out++ = '/';
    memcpy(out, url + host, rest);
    parts->path = TUFFET_STRING_OF(path);
    return host > 0 && !memchr(url, '@', host);
}

static wasi_http_types_method_t method_of(const char *name) {
    static const char *const known[] = {"GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"};
    wasi_http_types_method_t method = {.tag = WASI_HTTP_TYPES_METHOD_OTHER, .val.other = TUFFET_STRING_OF(name)};
    for (uint8_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        if (!strcmp(known[i], name)) method.tag = i;
    }
    return method;
}

static tuffet_error failed(const wasi_http_types_error_code_t *code) {
    switch (code->tag) {
    case WASI_HTTP_TYPES_ERROR_CODE_HTTP_REQUEST_DENIED:
        return tuffet_explained(TUFFET_NOT_GRANTED, "the server's log says why");
    case WASI_HTTP_TYPES_ERROR_CODE_DNS_TIMEOUT:
    case WASI_HTTP_TYPES_ERROR_CODE_DNS_ERROR:
        return no_answer("the host's name cannot be resolved");
    case WASI_HTTP_TYPES_ERROR_CODE_CONNECTION_REFUSED:
        return no_answer("the connection was refused");
    case WASI_HTTP_TYPES_ERROR_CODE_CONNECTION_TIMEOUT:
    case WASI_HTTP_TYPES_ERROR_CODE_CONNECTION_READ_TIMEOUT:
    case WASI_HTTP_TYPES_ERROR_CODE_CONNECTION_WRITE_TIMEOUT:
    case WASI_HTTP_TYPES_ERROR_CODE_HTTP_RESPONSE_TIMEOUT:
        return no_answer("there was no answer in time");
    case WASI_HTTP_TYPES_ERROR_CODE_TLS_PROTOCOL_ERROR:
    case WASI_HTTP_TYPES_ERROR_CODE_TLS_CERTIFICATE_ERROR:
    case WASI_HTTP_TYPES_ERROR_CODE_TLS_ALERT_RECEIVED:
        return no_answer("there is no TLS connection to the host that can be trusted");
    default:
        return no_answer(tuffet_format("the request failed (error %d of wasi:http)", code->tag));
    }
}

static void drop_stream_error(const wasi_io_streams_stream_error_t *error) {
    if (error->tag == WASI_IO_STREAMS_STREAM_ERROR_LAST_OPERATION_FAILED) {
        wasi_io_error_error_drop_own(error->val.last_operation_failed);
    }
}

static bool fields_of(tuffet_pairs headers, wasi_http_types_own_fields_t *fields) {
    wasi_http_types_tuple2_field_key_field_value_t *list =
        TUFFET_NEW(wasi_http_types_tuple2_field_key_field_value_t, headers.count);
    for (size_t i = 0; i < headers.count; i++) {
        list[i].f0 = TUFFET_STRING_OF(headers.items[i].name);
        list[i].f1 = (wasi_http_types_field_value_t){(uint8_t *)headers.items[i].value, strlen(headers.items[i].value)};
    }
    wasi_http_types_list_tuple2_field_key_field_value_t lowered = {list, headers.count};
    wasi_http_types_header_error_t error;
    return wasi_http_types_static_fields_from_list(&lowered, fields, &error);
}

/* Sets the parts of a request, and returns the part that cannot be sent. */
static const char *describe(wasi_http_types_borrow_outgoing_request_t outgoing, const char *method, address *parts) {
    wasi_http_types_method_t its = method_of(method);
    wasi_http_types_scheme_t scheme = {.tag = parts->tls ? WASI_HTTP_TYPES_SCHEME_HTTPS : WASI_HTTP_TYPES_SCHEME_HTTP};
    if (!wasi_http_types_method_outgoing_request_set_method(outgoing, &its)) return "the method cannot be sent";
    if (!wasi_http_types_method_outgoing_request_set_scheme(outgoing, &scheme)) return "the scheme cannot be sent";
    if (!wasi_http_types_method_outgoing_request_set_authority(outgoing, &parts->authority)) {
        return "the host cannot be sent";
    }
    if (!wasi_http_types_method_outgoing_request_set_path_with_query(outgoing, &parts->path)) {
        return "the path cannot be sent";
    }
    return NULL;
}

/*
 * Writes the body. The response, possibly a refusal, may come before the server has taken all of it; if none comes, its
 * error says why.
 */
static void write_body(wasi_http_types_own_outgoing_body_t body, const uint8_t *content, size_t length) {
    wasi_http_types_borrow_outgoing_body_t borrowed = {body.__handle};
    wasi_io_streams_own_output_stream_t stream;
    bool good = !length || wasi_http_types_method_outgoing_body_write(borrowed, &stream);
    if (good && length) {
        wasi_io_streams_borrow_output_stream_t to = wasi_io_streams_borrow_output_stream(stream);
        while (good && length) {
            plugin_list_u8_t part = {(uint8_t *)content, length < PART ? length : PART};
            wasi_io_streams_stream_error_t error;
            good = wasi_io_streams_method_output_stream_blocking_write_and_flush(to, &part, &error);
            if (!good) drop_stream_error(&error);
            content += part.len;
            length -= part.len;
        }
        wasi_io_streams_output_stream_drop_own(stream);
    }
    if (good) {
        wasi_http_types_error_code_t error;
        wasi_http_types_static_outgoing_body_finish(body, NULL, &error);
    } else {
        wasi_http_types_outgoing_body_drop_own(body);
    }
}

/* Sends a request, and returns the future of its response. */
static tuffet_error begin(const tuffet_http_request *request, wasi_http_types_own_future_incoming_response_t *future) {
    address parts;
    if (!split(request->url, &parts)) return invalid("a URL begins with http:// or https:// and a host");
    wasi_http_types_own_fields_t headers;
    if (!fields_of(request->headers, &headers)) return invalid("a header cannot be sent");
    wasi_http_types_own_outgoing_request_t outgoing = wasi_http_types_constructor_outgoing_request(headers);
    wasi_http_types_borrow_outgoing_request_t borrowed = wasi_http_types_borrow_outgoing_request(outgoing);
    wasi_http_types_own_outgoing_body_t body;
    const char *wrong = describe(borrowed, request->method ? request->method : "GET", &parts);
    if (!wrong && !wasi_http_types_method_outgoing_request_body(borrowed, &body)) wrong = "the body cannot be sent";
    if (wrong) {
        wasi_http_types_outgoing_request_drop_own(outgoing);
        return invalid(wrong);
    }
    wasi_http_types_error_code_t error;
    if (!wasi_http_outgoing_handler_handle(outgoing, NULL, future, &error)) {
        wasi_http_types_outgoing_body_drop_own(body);
        return failed(&error);
    }
    write_body(body, request->body, request->body_length);
    return TUFFET_OK;
}

static tuffet_error await(wasi_http_types_own_future_incoming_response_t future,
                          wasi_http_types_own_incoming_response_t *incoming) {
    wasi_http_types_borrow_future_incoming_response_t borrowed = wasi_http_types_borrow_future_incoming_response(future);
    wasi_io_poll_own_pollable_t ready = wasi_http_types_method_future_incoming_response_subscribe(borrowed);
    wasi_io_poll_method_pollable_block(wasi_io_poll_borrow_pollable(ready));
    wasi_io_poll_pollable_drop_own(ready);
    wasi_http_types_result_result_own_incoming_response_error_code_void_t result;
    bool there = wasi_http_types_method_future_incoming_response_get(borrowed, &result);
    wasi_http_types_future_incoming_response_drop_own(future);
    if (!there || result.is_err) return no_answer("the answer was taken already");
    if (result.val.ok.is_err) return failed(&result.val.ok.val.err);
    *incoming = result.val.ok.val.ok;
    return TUFFET_OK;
}

static tuffet_pairs read_headers(wasi_http_types_borrow_incoming_response_t incoming) {
    wasi_http_types_own_fields_t fields = wasi_http_types_method_incoming_response_headers(incoming);
    wasi_http_types_list_tuple2_field_key_field_value_t list;
    wasi_http_types_method_fields_entries(wasi_http_types_borrow_fields(fields), &list);
    wasi_http_types_fields_drop_own(fields);
    tuffet_pair *headers = TUFFET_NEW(tuffet_pair, list.len);
    for (size_t i = 0; i < list.len; i++) {
        headers[i] = (tuffet_pair){TUFFET_TEXT(list.ptr[i].f0), TUFFET_TEXT(list.ptr[i].f1)};
    }
    return (tuffet_pairs){headers, list.len};
}

/* Reads at most one byte more than the limit, which shows that the body is too long. */
static tuffet_error read_stream(wasi_io_streams_borrow_input_stream_t stream, size_t limit, tuffet_bytes *body) {
    size_t length = 0, room = 0;
    unsigned char *content = tuffet_take(1, 1);
    for (;;) {
        plugin_list_u8_t part;
        wasi_io_streams_stream_error_t error;
        if (!wasi_io_streams_method_input_stream_blocking_read(stream, PART, &part, &error)) {
            content[length] = 0;
            *body = (tuffet_bytes){content, length};
            drop_stream_error(&error);
            return error.tag == WASI_IO_STREAMS_STREAM_ERROR_CLOSED ? TUFFET_OK : no_answer("the connection broke");
        }
        if (part.len > limit - length) return tuffet_explained(TUFFET_TOO_LARGE, "the body has more bytes than the limit");
        if (part.len > room - length) {
            room = 2 * room + PART;
            unsigned char *larger = tuffet_take(room + 1, 1);
            memcpy(larger, content, length);
            content = larger;
        }
        memcpy(content + length, part.ptr, part.len);
        length += part.len;
    }
}

static tuffet_error read_body(wasi_http_types_borrow_incoming_response_t incoming, size_t limit, tuffet_bytes *content) {
    wasi_http_types_own_incoming_body_t body;
    if (!wasi_http_types_method_incoming_response_consume(incoming, &body)) {
        return no_answer("the body was taken already");
    }
    wasi_io_streams_own_input_stream_t stream;
    wasi_http_types_borrow_incoming_body_t borrowed = {body.__handle};
    tuffet_error error = no_answer("the body was taken already");
    if (wasi_http_types_method_incoming_body_stream(borrowed, &stream)) {
        error = read_stream(wasi_io_streams_borrow_input_stream(stream), limit, content);
        wasi_io_streams_input_stream_drop_own(stream);
    }
    wasi_http_types_incoming_body_drop_own(body);
    return error;
}

tuffet_error tuffet_http_send(const tuffet_http_request *request, tuffet_http_response *response) {
    *response = (tuffet_http_response){.body.data = (const unsigned char *)""};
    wasi_http_types_own_future_incoming_response_t future;
    tuffet_error error = begin(request, &future);
    if (error) return error;
    wasi_http_types_own_incoming_response_t incoming;
    error = await(future, &incoming);
    if (error) return error;
    wasi_http_types_borrow_incoming_response_t borrowed = wasi_http_types_borrow_incoming_response(incoming);
    response->status = wasi_http_types_method_incoming_response_status(borrowed);
    response->headers = read_headers(borrowed);
    error = read_body(borrowed, request->limit, &response->body);
    wasi_http_types_incoming_response_drop_own(incoming);
    return error;
}

tuffet_error tuffet_http_get(const char *url, size_t limit, tuffet_http_response *response) {
    return tuffet_http_send(&(tuffet_http_request){.url = url, .limit = limit}, response);
}
