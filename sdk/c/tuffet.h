/*
 * The SDK for policy plugins in C. docs/plugins-c.md shows how to write one.
 *
 * A plugin defines the hooks that it wants, each a function that is marked HOOK below; tuffet_configure reads its settings
 * first. `hooks` in tuffet.json lists the same. Everything else here is for it to call.
 *
 * Ownership. Nothing is freed by hand. What the SDK hands over, to a hook or as the result of a function, and what
 * tuffet_alloc and tuffet_format return, is valid until the hook returns. In tuffet_configure it is valid for the life of
 * the plugin: keep settings as pointers. Texts and bytes of an answer may be such memory, constants, and memory of your
 * own, but no local array. Functions that make answers copy the lists that they are given.
 *
 * Texts are UTF-8 and end with a zero byte. A pointer is NULL only where that is mentioned.
 *
 * A call fails if a function runs out of memory, at tuffet_fail, abort or a trap, and if its answer is zeroed. The request
 * is then handled as `on-error` of the configuration demands, and another instance answers the next one.
 */
#ifndef TUFFET_H
#define TUFFET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUFFET_PRINTF(at, first) __attribute__((format(printf, at, first)))

/* Bytes, such as the content of a file. A zero byte follows those that the SDK hands over. */
typedef struct tuffet_bytes {
    const unsigned char *data;
    size_t length;
} tuffet_bytes;

/* A number that may be absent. Zeroed, it is. */
typedef struct tuffet_number {
    bool present;
    uint64_t value;
} tuffet_number;

typedef struct tuffet_strings {
    const char *const *items;
    size_t count;
} tuffet_strings;

typedef struct tuffet_pair {
    const char *name;
    const char *value;
} tuffet_pair;

typedef struct tuffet_pairs {
    const tuffet_pair *items;
    size_t count;
} tuffet_pairs;

/* Returns the value of the first pair of this name, or NULL. */
const char *tuffet_find(tuffet_pairs pairs, const char *name);

/* ---- Requests ---- */

typedef enum tuffet_operation { TUFFET_READ, TUFFET_WRITE } tuffet_operation;

typedef enum tuffet_mode { TUFFET_OCTET, TUFFET_NETASCII } tuffet_mode;

/* "read" and "write", "octet" and "netascii". */
const char *tuffet_operation_name(tuffet_operation operation);
const char *tuffet_mode_name(tuffet_mode mode);

/* Where a MAC address was learnt. Compare texts: later servers may have others. */
#define TUFFET_NEIGHBOUR_TABLE "neighbour-table"
#define TUFFET_LEASE_FILE "lease-file"
#define TUFFET_REQUESTED_NAME "requested-name"

/* A hint, not a credential: every source of it can be forged by someone on the same network. */
typedef struct tuffet_mac {
    const char *address; /* six lower-case hexadecimal octets with colons: 02:00:5e:10:00:01 */
    const char *source;  /* such as TUFFET_NEIGHBOUR_TABLE */
} tuffet_mac;

typedef struct tuffet_macs {
    const tuffet_mac *items;
    size_t count;
} tuffet_macs;

typedef struct tuffet_mac_addresses {
    tuffet_macs network; /* what the network says, most trustworthy source first: for who may do something */
    tuffet_macs claimed; /* what the requested name says, which is anybody's choice: for which file among those allowed */
} tuffet_mac_addresses;

/* The lease of the client's address. What names a machine needs the grant client-mac. All texts may be NULL. */
typedef struct tuffet_lease {
    const char *mac;
    const char *client_id; /* DHCP option 61, or the DUID of DHCPv6: hexadecimal octets with colons */
    const char *uuid;      /* of the machine (DHCP option 97): 00112233-4455-6677-8899-aabbccddeeff */
    const char *hostname;
    const char *vendor_class;   /* DHCP option 60 */
    tuffet_number architecture; /* DHCP option 93 */
    tuffet_number expires;      /* seconds since 1970; absent for a lease that does not end */
    uint64_t age;               /* seconds since the file was read, or last seen unchanged */
} tuffet_lease;

/* Where a request arrived. Both texts may be NULL. */
typedef struct tuffet_arrival {
    const char *address; /* that it was sent to; for a broadcast, that of the interface */
    const char *interface_name;
    tuffet_number vlan;
} tuffet_arrival;

typedef struct tuffet_client {
    const char *address; /* a textual IP address; an IPv4-mapped IPv6 address is given as IPv4 */
    uint16_t port;
    const tuffet_mac_addresses *macs; /* NULL without the grant client-mac */
    const tuffet_lease *lease;        /* or NULL; the manifest lists the fact `lease` */
    const char *class_name;           /* a guess from the shape of the request: ipxe, u-boot, curl, unknown */
} tuffet_client;

/*
 * Whether the network says that the client has this MAC address, in any letter case, with `:`, `-`, `.` or without
 * separators; all that the network says, most trustworthy source first; and what the client claims, by the name that it
 * asked for. Without the grant client-mac, the call fails.
 */
bool tuffet_client_has_mac(const tuffet_client *client, const char *address);
tuffet_macs tuffet_client_network_macs(const tuffet_client *client);
tuffet_macs tuffet_client_claimed_macs(const tuffet_client *client);

/*
 * All of them, those that the network knows first, and none without the grant client-mac: for records, never to decide who
 * may do something.
 */
tuffet_macs tuffet_client_any_macs(const tuffet_client *client);

typedef struct tuffet_request {
    const char *id; /* unique in one process of the server; log lines and events carry the same */
    const char *listener;
    tuffet_operation operation;
    tuffet_mode mode;
    const char *requested; /* the name as sent, not normalised: never use it as a path */
    const char *path;      /* normalised, below the virtual root: no leading slash, no `.` or `..` */
    tuffet_client client;
    const tuffet_arrival *arrival; /* or NULL; the manifest lists the facts local-address, interface or vlan */
    tuffet_pairs options;          /* as the client sent them, names in lower case (RFC 2347) */
    uint64_t unix_ms;              /* when it arrived, in milliseconds since 1970; needs no grant */
    tuffet_pairs labels;           /* what plugins that were called before have attached: the plugin's name, the label */
    tuffet_pairs attributes;       /* raw-name: the bytes of a name that is not UTF-8, in hexadecimal digits;
                                      unsafe-name: why the server refuses the name unless resolve names a file;
                                      case: insensitive where every spelling of path finds the file, also one that is
                                      new: compare names regardless of case then */
} tuffet_request;

/* The value of an option or attribute, or NULL. */
static inline const char *tuffet_request_option(const tuffet_request *request, const char *name) {
    return tuffet_find(request->options, name);
}
static inline const char *tuffet_request_attribute(const tuffet_request *request, const char *name) {
    return tuffet_find(request->attributes, name);
}

/* ---- Settings ---- */

/* A value of the settings, or of a JSON text. All functions that take one accept NULL for a value that is absent. */
typedef struct tuffet_value tuffet_value;

typedef enum tuffet_kind {
    TUFFET_NULL, /* also of a value that is absent */
    TUFFET_BOOL,
    TUFFET_NUMBER,
    TUFFET_STRING,
    TUFFET_LIST,
    TUFFET_MAP,
} tuffet_kind;

/*
 * HOOK. Reads the settings, before any other hook. The settings are a map, empty if the configuration has none. After a
 * problem the plugin is not used, and the server shows all problems, each with its line of the configuration.
 *
 * Only tuffet_log and tuffet_files_* work here. Without this function, a plugin has no settings.
 */
void tuffet_configure(const tuffet_value *settings);

/* Reports a problem at a value. The message is one sentence without a period. */
void tuffet_problem(const tuffet_value *at, const char *format, ...) TUFFET_PRINTF(2, 3);

/* Returns the value of a key, or NULL. A null counts as absent. */
const tuffet_value *tuffet_get(const tuffet_value *map, const char *key);

/* As tuffet_get; an absent value is a problem. */
const tuffet_value *tuffet_need(const tuffet_value *map, const char *key);

/* Reports all keys but these as problems: tuffet_known(settings, "version", "root", NULL). */
void tuffet_known(const tuffet_value *map, ...) __attribute__((sentinel));

/*
 * The value, if it has this type; otherwise a problem, and "", 0, false or NULL. An absent value is no problem: combine
 * them with tuffet_need, or choose the default yourself:
 *
 *     const char *version = tuffet_string(tuffet_need(settings, "version"));
 *     const tuffet_value *given = tuffet_get(settings, "tries");
 *     int64_t tries = given ? tuffet_int(given, 1, 10) : 3;
 */
const char *tuffet_string(const tuffet_value *value);
bool tuffet_bool(const tuffet_value *value);
int64_t tuffet_int(const tuffet_value *value, int64_t least, int64_t most);
uint64_t tuffet_uint(const tuffet_value *value, uint64_t least, uint64_t most);
double tuffet_double(const tuffet_value *value);
const tuffet_value *tuffet_list(const tuffet_value *value);
const tuffet_value *tuffet_map(const tuffet_value *value);

/* What a value is, without any problem. */
tuffet_kind tuffet_kind_of(const tuffet_value *value);

/* How many elements a list or a map has. */
size_t tuffet_size(const tuffet_value *value);

/* The elements in order: for (v = tuffet_first(list); v; v = tuffet_next(v)). A map has one for each key. */
const tuffet_value *tuffet_first(const tuffet_value *value);
const tuffet_value *tuffet_next(const tuffet_value *element);

/* The element of a list at this index, or NULL. */
const tuffet_value *tuffet_at(const tuffet_value *list, size_t index);

/* The key of an element of a map; NULL for an element of a list. */
const char *tuffet_key(const tuffet_value *element);

/* The value as JSON. */
const char *tuffet_json(const tuffet_value *value);

/* Reads a JSON text, such as a file. NULL if it is not JSON, or nested more than 128 times. Problems in it are ignored. */
const tuffet_value *tuffet_parse(const char *text, size_t length);

/* ---- Hooks and their answers ---- */

/* The numbers of a session that a client may negotiate; 0: none. */
typedef struct tuffet_session_values {
    uint16_t blksize;    /* bytes in a block, 8 to 65464 (RFC 2348) */
    uint16_t windowsize; /* blocks in a window, 1 to 65535 (RFC 7440) */
    uint8_t timeout;     /* seconds before a packet is sent again, 1 to 255 (RFC 2349) */
} tuffet_session_values;

/*
 * How a transfer is negotiated and sent. Zeroed, everything is as configured; so is each number that is 0.
 * sdk/wit/policy.wit says how the profiles of several plugins combine.
 */
typedef struct tuffet_profile {
    tuffet_session_values ceilings;  /* the most that is granted */
    tuffet_session_values floors;    /* the least: a client that negotiates less gets TUFFET_OPTION_REFUSED */
    tuffet_session_values overrides; /* in place of the configured ceilings on blocks and windows, and of the time-outs */
    tuffet_number max_size;          /* bytes of the largest file */
    uint16_t burst;                  /* blocks of a window that are sent at once; the others follow, paced */
    uint64_t rate;                   /* the most bytes of file data in a second, at least 1024 */
    tuffet_strings refuse_options;   /* that are not acknowledged, such as "multicast" */
    tuffet_pairs attributes;         /* for later servers */
} tuffet_profile;

/* Codes of ERROR packets: RFC 1350 section 5, and RFC 2347. */
typedef enum tuffet_error_code {
    TUFFET_NOT_DEFINED,
    TUFFET_FILE_NOT_FOUND,
    TUFFET_ACCESS_VIOLATION,
    TUFFET_DISK_FULL,
    TUFFET_FILE_EXISTS,
    TUFFET_OPTION_REFUSED,
} tuffet_error_code;

/* The code and the message (at most 200 bytes) are sent to the client, the reason is logged. NULL is "". */
typedef struct tuffet_denial {
    tuffet_error_code code;
    const char *message;
    const char *reason;
} tuffet_denial;

/* An answer of tuffet_authorize. */
typedef struct tuffet_verdict {
    enum {
        TUFFET_VERDICT_NONE,
        TUFFET_VERDICT_ABSTAIN,
        TUFFET_VERDICT_ALLOW,
        TUFFET_VERDICT_DENY,
        TUFFET_VERDICT_DROP,
        TUFFET_VERDICT_FAIL,
    } kind;
    tuffet_profile profile;
    tuffet_denial denial;
    const char *reason; /* of a drop or a failure */
} tuffet_verdict;

/* HOOK. May this client do this? */
tuffet_verdict tuffet_authorize(const tuffet_request *request);

/* No opinion: the next plugin decides. */
tuffet_verdict tuffet_verdict_abstain(void);
/* Yes, unless a later plugin denies. NULL: all is as configured. */
tuffet_verdict tuffet_verdict_allow(const tuffet_profile *profile);
/* No: the client gets an ERROR. */
tuffet_verdict tuffet_verdict_deny(tuffet_error_code code, const char *message, const char *reason);
/* No, and without any answer: the client asks again, or asks another server. The reason is logged. */
tuffet_verdict tuffet_verdict_drop(const char *reason);
/*
 * The plugin cannot answer: a service that it asks is away, or sent nonsense. `on-error` of the configuration decides, and
 * the reason is logged. The instance goes on, unlike after tuffet_fail.
 */
tuffet_verdict tuffet_verdict_fail(const char *reason);

/*
 * Gives the request a label, such as "canary": with the answer of this call of tuffet_authorize or tuffet_resolve, whatever it
 * is. Plugins that are called later see it, and so do people. 1 to 32 letters of ASCII, digits, `.`, `_` and `-`; another
 * text is an invalid answer. Use few different ones: metrics count the requests of each. The last call counts.
 */
void tuffet_label(const char *text);

/* A path in a configured root. */
typedef struct tuffet_target {
    const char *root;
    const char *path;
} tuffet_target;

/* Content that a plugin makes. */
typedef struct tuffet_content {
    const char *name; /* for logs and observers, or NULL: at most 200 bytes of one line (tuffet_one_line) */
    tuffet_bytes data;
    tuffet_pairs attributes; /* for later servers */
} tuffet_content;

/* Something that may be served. */
typedef struct tuffet_candidate {
    enum {
        TUFFET_CANDIDATE_NONE,
        TUFFET_CANDIDATE_FILE,
        TUFFET_CANDIDATE_CONTENT,
        TUFFET_CANDIDATE_RENDERING,
    } kind;
    tuffet_target file;
    tuffet_content content;
    const char *key; /* of a rendering */
} tuffet_candidate;

/* A file, if it exists. For an upload, where it goes. */
tuffet_candidate tuffet_candidate_file(const char *root, const char *path);
/* The content itself; the name may be NULL. Never for an upload. */
tuffet_candidate tuffet_candidate_content(const char *name, const void *data, size_t length);
/* What tuffet_render or tuffet_render_part makes for this key, of 1 to 1024 bytes. Never for an upload. */
tuffet_candidate tuffet_candidate_rendering(const char *key);

/* An answer of tuffet_resolve. */
typedef struct tuffet_resolution {
    enum {
        TUFFET_RESOLUTION_NONE,
        TUFFET_RESOLUTION_ABSTAIN,
        TUFFET_RESOLUTION_SERVE,
        TUFFET_RESOLUTION_DENY,
        TUFFET_RESOLUTION_DROP,
        TUFFET_RESOLUTION_FAIL,
    } kind;
    const tuffet_candidate *candidates;
    size_t candidate_count;
    bool else_next; /* if no candidate exists, the next plugin decides; otherwise there is no such file */
    tuffet_profile profile; /* how it is sent: with what tuffet_authorize allowed. Zeroed, as configured */
    tuffet_denial denial;
    const char *reason; /* of a drop or a failure */
} tuffet_resolution;

/* HOOK. Which file or content does this client get? */
tuffet_resolution tuffet_resolve(const tuffet_request *request);

/* No opinion: the next plugin decides, at the end the path is looked up in the roots. */
tuffet_resolution tuffet_resolution_abstain(void);
/*
 * The first of these that exists, at most 64; of an upload, the first file. Content always exists. Set `else_next` and
 * `profile` in the answer where you need them; so with the four functions below.
 */
tuffet_resolution tuffet_resolution_serve(const tuffet_candidate *candidates, size_t count);
tuffet_resolution tuffet_resolution_file(const char *root, const char *path);
tuffet_resolution tuffet_resolution_files(const tuffet_target *files, size_t count);
tuffet_resolution tuffet_resolution_content(const char *name, const void *data, size_t length);
tuffet_resolution tuffet_resolution_rendered(const char *key);
/* As for tuffet_authorize. */
tuffet_resolution tuffet_resolution_fail(const char *reason);
tuffet_resolution tuffet_resolution_deny(tuffet_error_code code, const char *message, const char *reason);
tuffet_resolution tuffet_resolution_drop(const char *reason);

/* A time to live that never ends. */
#define TUFFET_FOREVER UINT32_MAX

/* An answer of tuffet_render. */
typedef struct tuffet_rendering {
    enum { TUFFET_RENDERING_NONE, TUFFET_RENDERING_CONTENT, TUFFET_RENDERING_DENY, TUFFET_RENDERING_FAIL } kind;
    tuffet_content content;
    uint32_t ttl_seconds;
    tuffet_denial denial;
    const char *reason; /* of a failure */
} tuffet_rendering;

/*
 * HOOK. Makes the content for a key that tuffet_resolve answered with, once for all requests with the key and maybe in
 * another instance: it may depend on the key, the settings and the grants alone.
 */
tuffet_rendering tuffet_render(const char *key);

/*
 * The content; the name may be NULL. After the time to live the next request has it rendered anew; TUFFET_FOREVER: when the
 * configuration is loaded again.
 */
tuffet_rendering tuffet_rendering_content(const char *name, const void *data, size_t length, uint32_t ttl_seconds);
/* No: all requests that wait for the content get an ERROR. The server does not keep it. */
tuffet_rendering tuffet_rendering_deny(tuffet_error_code code, const char *message, const char *reason);
/* As tuffet_verdict_fail. */
tuffet_rendering tuffet_rendering_fail(const char *reason);

/* An answer of tuffet_begin. */
typedef struct tuffet_beginning {
    enum {
        TUFFET_BEGINNING_NONE,
        TUFFET_BEGINNING_PARTS,
        TUFFET_BEGINNING_WHOLE,
        TUFFET_BEGINNING_DENY,
        TUFFET_BEGINNING_FAIL,
    } kind;
    const char *name; /* of the content, or NULL */
    uint64_t size;    /* of all parts, in bytes */
    uint32_t ttl_seconds;
    tuffet_pairs attributes; /* for later servers */
    tuffet_denial denial;
    const char *reason; /* of a failure */
} tuffet_beginning;

/* An answer of tuffet_render_part. */
typedef struct tuffet_part {
    enum { TUFFET_PART_NONE, TUFFET_PART_BYTES, TUFFET_PART_DENY, TUFFET_PART_FAIL } kind;
    tuffet_bytes bytes;
    tuffet_denial denial;
    const char *reason; /* of a failure */
} tuffet_part;

/*
 * HOOK. Content in parts: what is larger than the bound on content, or takes longer than a call may. Clients read what
 * there is while the rest is made. `render-parts` in `hooks` stands for both functions.
 *
 * tuffet_begin announces the content for a key that tuffet_resolve answered with; the server calls it before tuffet_render.
 *
 * tuffet_render_part makes bytes from `offset` on: at least one, at most `length`. The server asks for one part after the
 * other, each time with the limits of a call, and maybe in another instance: the bytes may depend on the arguments, the
 * settings and the grants alone.
 */
tuffet_beginning tuffet_begin(const char *key);
tuffet_part tuffet_render_part(const char *key, uint64_t offset, uint32_t length);

/* Content of this many bytes, in parts. The name may be NULL; the time to live is that of tuffet_rendering_content. */
tuffet_beginning tuffet_beginning_parts(const char *name, uint64_t size, uint32_t ttl_seconds);
/* tuffet_render makes this content, all of it at once. */
tuffet_beginning tuffet_beginning_whole(void);
/* No: all requests that wait for the content get an ERROR. */
tuffet_beginning tuffet_beginning_deny(tuffet_error_code code, const char *message, const char *reason);
/* As tuffet_verdict_fail. */
tuffet_beginning tuffet_beginning_fail(const char *reason);
/* The bytes of a part. */
tuffet_part tuffet_part_bytes(const void *data, size_t length);
/* No: all transfers of this content end with an ERROR. */
tuffet_part tuffet_part_deny(tuffet_error_code code, const char *message, const char *reason);
/* As tuffet_verdict_fail. */
tuffet_part tuffet_part_fail(const char *reason);

/* Makes a name for content of any text: what is longer than 200 bytes is cut, and control characters become spaces. */
const char *tuffet_one_line(const char *text);

/* A complete upload, on disk under a temporary name. */
typedef struct tuffet_upload {
    const char *root;
    const char *path;        /* under which it becomes visible when it is accepted as it is */
    uint64_t size;           /* of the file, in bytes; in netascii mode another than on the wire */
    const char *sha256;      /* 64 lower-case hexadecimal digits */
    tuffet_pairs attributes; /* facts that later servers add */
} tuffet_upload;

/* An answer of tuffet_accept_upload. */
typedef struct tuffet_acceptance {
    enum {
        TUFFET_ACCEPTANCE_NONE,
        TUFFET_ACCEPTANCE_ABSTAIN,
        TUFFET_ACCEPTANCE_ACCEPT,
        TUFFET_ACCEPTANCE_RENAME,
        TUFFET_ACCEPTANCE_DENY,
        TUFFET_ACCEPTANCE_FAIL,
    } kind;
    const char *path; /* of a rename */
    bool next_free;   /* if there is such a file, the first free one of PATH.1 to PATH.999 */
    tuffet_denial denial;
    const char *reason; /* of a failure */
} tuffet_acceptance;

/* HOOK. May this upload become visible? */
tuffet_acceptance tuffet_accept_upload(const tuffet_request *request, const tuffet_upload *upload);

/* No opinion: the next plugin decides, at the end the upload is accepted. */
tuffet_acceptance tuffet_acceptance_abstain(void);
/* Yes, unless a later plugin denies. */
tuffet_acceptance tuffet_acceptance_accept(void);
/* Yes, under this path in the same root. Set `next_free` in the answer where you need it. */
tuffet_acceptance tuffet_acceptance_rename(const char *path);
/* No: the client gets an ERROR in place of the last ACK, and the file is removed. */
tuffet_acceptance tuffet_acceptance_deny(tuffet_error_code code, const char *message, const char *reason);
/* As tuffet_verdict_fail. */
tuffet_acceptance tuffet_acceptance_fail(const char *reason);

/* What a client gets. */
typedef struct tuffet_resolved {
    enum { TUFFET_RESOLVED_NONE, TUFFET_RESOLVED_FILE, TUFFET_RESOLVED_CONTENT } kind;
    tuffet_target file;
    const char *name; /* of content, or NULL */
} tuffet_resolved;

/* What was decided about a request. */
typedef struct tuffet_decided_request {
    tuffet_request request;
    tuffet_resolved resolved;  /* TUFFET_RESOLVED_NONE if it was refused before that was known */
    const char *decided_by;    /* the plugin that decided, or NULL: the configuration */
    tuffet_number size;        /* bytes on the wire */
    tuffet_number decision_us; /* from the request to the decision, in microseconds */
} tuffet_decided_request;

/* How far a transfer has come. */
typedef struct tuffet_progress {
    const char *request_id;
    uint64_t transferred; /* bytes that arrived, as on the wire */
    tuffet_number size;
} tuffet_progress;

/* What was answered. Compare texts: later servers may have others. */
#define TUFFET_DECISION_GRANTED "granted"     /* blocks could move */
#define TUFFET_DECISION_REFUSED "refused"     /* with an ERROR */
#define TUFFET_DECISION_DROPPED "dropped"     /* without an answer */
#define TUFFET_DECISION_UNDECIDED "undecided" /* it ended before it was decided */

/* How a request ended. Compare texts: later servers may have others. */
#define TUFFET_OUTCOME_SERVED "served"       /* the client acknowledged the last block */
#define TUFFET_OUTCOME_STORED "stored"       /* the upload is on disk under its name */
#define TUFFET_OUTCOME_PROBED "probed"       /* the client wanted the size only, or closed early as some boot loaders do */
#define TUFFET_OUTCOME_ABORTED "aborted"     /* the client ended it, broke the protocol, or requested something else */
#define TUFFET_OUTCOME_DENIED "denied"       /* policy, a rule of a root or a limit denied it */
#define TUFFET_OUTCOME_NOT_FOUND "not-found" /* there is no such file */
#define TUFFET_OUTCOME_TIMED_OUT "timed-out" /* the client fell silent */
#define TUFFET_OUTCOME_FAILED "failed"       /* the server could not do it */

/* A request has ended. */
typedef struct tuffet_summary {
    tuffet_decided_request decided;
    const char *decision; /* such as TUFFET_DECISION_GRANTED */
    const char *outcome;  /* such as TUFFET_OUTCOME_SERVED */
    const char *detail;   /* more about the outcome, or NULL; not for clients */
    uint32_t plugin_calls;
    const tuffet_target *tried; /* where the file of a refused request was looked for, in order */
    size_t tried_count;
    const char *tried_by;         /* the plugin that named these places, or NULL */
    uint16_t blksize;             /* as negotiated */
    uint16_t windowsize;          /* as negotiated */
    tuffet_number timeout_option; /* in seconds, if it was negotiated */
    tuffet_number tsize;          /* if it was answered */
    uint64_t transferred;         /* bytes that arrived, as on the wire */
    uint64_t blocks;              /* that arrived */
    uint64_t retransmissions;
    uint64_t duplicates;
    uint64_t timeouts;
    tuffet_number rtt_us;         /* the smoothed round-trip time, in microseconds */
    tuffet_number first_block_us; /* from the request to the first block that arrived */
    uint64_t duration_us;         /* from the request to the end */
    tuffet_pairs attributes;      /* other-case, hint, and facts that later servers add */
} tuffet_summary;

/* An event of a kind that this SDK does not know. */
typedef struct tuffet_other_event {
    const char *kind;
    const char *request_id; /* or NULL */
    tuffet_pairs attributes;
} tuffet_other_event;

/* One of the four pointers is not NULL. */
typedef struct tuffet_event {
    uint64_t sequence; /* of one process of the server; an event that is given again has the same */
    uint64_t unix_ms;  /* milliseconds since 1970 */
    const tuffet_decided_request *started; /* a request was granted; blocks are about to move */
    const tuffet_progress *progressed;     /* about once a second for each transfer; sampled */
    const tuffet_summary *finished;
    const tuffet_other_event *other;
} tuffet_event;

/* HOOK. What happened, in order and after the fact. */
void tuffet_observe(const tuffet_event *events, size_t count);

/* ---- Memory and texts ---- */

/* Zeroed memory for any type, until the hook returns; from tuffet_configure, for the life of the plugin. Never NULL. */
void *tuffet_alloc(size_t size);

/* As sprintf, into memory of tuffet_alloc. */
char *tuffet_format(const char *format, ...) TUFFET_PRINTF(1, 2);

/* The text as a JSON string, with its quotes. What is not UTF-8 becomes U+FFFD. */
const char *tuffet_quote(const char *text);
const char *tuffet_quote_bytes(tuffet_bytes bytes);

/* Ends the call and the instance, for a mistake of the plugin. The message appears in the server's log. */
void tuffet_fail(const char *format, ...) TUFFET_PRINTF(1, 2) __attribute__((noreturn));

/* ---- The server ---- */

/* Why the server did not do something. */
typedef enum tuffet_error {
    TUFFET_OK,
    TUFFET_NOT_FOUND,    /* there is no such key or file */
    TUFFET_NOT_GRANTED,  /* in the manifest, or in the configuration */
    TUFFET_WRONG_PHASE,  /* this function is not there in this hook, or in tuffet_configure */
    TUFFET_BAD_ARGUMENT, /* a name, a length or a value is out of bounds, or a value is no counter */
    TUFFET_BAD_PATH,     /* the path leads out of its root, or may not be read */
    TUFFET_NOT_A_FILE,   /* it is a folder, a device or the like */
    TUFFET_CHANGED,      /* the file has another version, or the key another revision */
    TUFFET_TOO_LARGE,    /* more bytes than the limit, or than this call may still read */
    TUFFET_QUOTA,        /* the plugin has as many keys, bytes or series as it may have */
    TUFFET_FULL,         /* the queue of the sink is full; there is room again later */
    TUFFET_EXHAUSTED,    /* this call of a hook has made as many calls of the server as it may make */
    TUFFET_UNAVAILABLE,  /* the disk, the database or the origin failed, or did not answer in time */
    TUFFET_OTHER_ERROR,  /* a code of a later server */
} tuffet_error;

/* The code as a text, such as "too-large"; "ok" for TUFFET_OK. For TUFFET_OTHER_ERROR, that of the last error. */
const char *tuffet_error_name(tuffet_error error);

/* The server's explanation of the last error, or "". */
const char *tuffet_error_message(void);

typedef enum tuffet_level {
    TUFFET_LOG_TRACE,
    TUFFET_LOG_DEBUG,
    TUFFET_LOG_INFO,
    TUFFET_LOG_WARN,
    TUFFET_LOG_ERROR,
} tuffet_level;

/*
 * A line for the server's log, with fields: tuffet_log(TUFFET_LOG_WARN, "not reported", "sink", sink, NULL). At most 32 lines
 * of a call are kept.
 */
void tuffet_log(tuffet_level level, const char *message, ...) __attribute__((sentinel));
void tuffet_log_pairs(tuffet_level level, const char *message, tuffet_pairs fields);

/* A value and its revision. Each change of a key gives it a higher one. */
typedef struct tuffet_entry {
    tuffet_bytes value;
    uint64_t revision;
} tuffet_entry;

/*
 * Keys and values that outlive the call and the server, in a namespace that plugins share, and where the keys are in a
 * bucket of NATS, the plugins of all its servers. Grant `kv/NAME` for each; NULL is the plugin's own, with the grant `kv`.
 * A key has 1 to 256 bytes, a value 64 KiB at most; the quota of the plugin that writes counts.
 */
tuffet_error tuffet_shared_kv_get(const char *space, const char *key, tuffet_bytes *value);
/* The value with the revision for tuffet_shared_kv_swap. */
tuffet_error tuffet_shared_kv_entry(const char *space, const char *key, tuffet_entry *entry);
tuffet_error tuffet_shared_kv_set(const char *space, const char *key, const void *data, size_t length,
                                  uint32_t ttl_seconds);
/* A key that does not exist is no error. */
tuffet_error tuffet_shared_kv_delete(const char *space, const char *key);
/* Adds to a counter, which begins at 0, and returns the sum. The time to live holds from when the counter begins. */
tuffet_error tuffet_shared_kv_increment(const char *space, const char *key, int64_t by, uint32_t ttl_seconds,
                                        int64_t *sum);
/*
 * Sets the value if the key still has this revision; with NULL, if the key does not exist. TUFFET_CHANGED: it has another
 * one, so read the entry again, and decide anew. After TUFFET_UNAVAILABLE the value may have been set all the same.
 */
tuffet_error tuffet_shared_kv_swap(const char *space, const char *key, const uint64_t *revision, const void *data,
                                   size_t length, uint32_t ttl_seconds);
typedef struct tuffet_listed {
    const char *key;
    tuffet_entry entry;
} tuffet_listed;

typedef struct tuffet_list_of_keys {
    const tuffet_listed *items;
    size_t count;
} tuffet_list_of_keys;

/*
 * A page of the keys that begin with `prefix`, with their entries, in the order of the bytes of the keys: those after the key
 * `after`, which may be NULL, at most `limit`, never more than 1000, and none behind 1 MiB. An empty page is the end. Changes
 * between two pages may be seen or not.
 */
tuffet_error tuffet_shared_kv_list(const char *space, const char *prefix, const char *after, uint32_t limit,
                                   tuffet_list_of_keys *keys);
/* Removes keys that begin with `prefix`, at most 1000, and says how many: call it until that is 0. */
tuffet_error tuffet_shared_kv_delete_prefix(const char *space, const char *prefix, uint32_t *removed);

/* The same in the plugin's own namespace. */
static inline tuffet_error tuffet_kv_get(const char *key, tuffet_bytes *value) {
    return tuffet_shared_kv_get(NULL, key, value);
}
static inline tuffet_error tuffet_kv_entry(const char *key, tuffet_entry *entry) {
    return tuffet_shared_kv_entry(NULL, key, entry);
}
static inline tuffet_error tuffet_kv_set(const char *key, const void *data, size_t length, uint32_t ttl_seconds) {
    return tuffet_shared_kv_set(NULL, key, data, length, ttl_seconds);
}
static inline tuffet_error tuffet_kv_delete(const char *key) { return tuffet_shared_kv_delete(NULL, key); }
static inline tuffet_error tuffet_kv_increment(const char *key, int64_t by, uint32_t ttl_seconds, int64_t *sum) {
    return tuffet_shared_kv_increment(NULL, key, by, ttl_seconds, sum);
}
static inline tuffet_error tuffet_kv_swap(const char *key, const uint64_t *revision, const void *data, size_t length,
                                          uint32_t ttl_seconds) {
    return tuffet_shared_kv_swap(NULL, key, revision, data, length, ttl_seconds);
}
static inline tuffet_error tuffet_kv_list(const char *prefix, const char *after, uint32_t limit,
                                          tuffet_list_of_keys *keys) {
    return tuffet_shared_kv_list(NULL, prefix, after, limit, keys);
}
static inline tuffet_error tuffet_kv_delete_prefix(const char *prefix, uint32_t *removed) {
    return tuffet_shared_kv_delete_prefix(NULL, prefix, removed);
}

/* Files in the roots that are granted: `files/ROOT`. A call may read 64 MiB in all. */

typedef struct tuffet_metadata {
    uint64_t size; /* in bytes */
    uint64_t modified_unix_ms;
    const char *version; /* another one after each change: compare it, or read from it with tuffet_files_read_at */
} tuffet_metadata;

tuffet_error tuffet_files_stat(const char *root, const char *path, tuffet_metadata *metadata);
/* The whole file, if it has at most `limit` bytes. */
tuffet_error tuffet_files_read(const char *root, const char *path, uint64_t limit, tuffet_bytes *content);
/* Bytes of this version; fewer where the file ends. TUFFET_CHANGED: it has another one, or is gone. */
tuffet_error tuffet_files_read_at(const char *root, const char *path, const char *version, uint64_t offset,
                                  uint32_t length, tuffet_bytes *content);

/*
 * Bytes of the upload that tuffet_accept_upload decides about; fewer where the file ends. Only in that hook. Grant `upload`.
 * A call may read 8 MiB in all.
 */
tuffet_error tuffet_upload_read(uint64_t offset, uint32_t length, tuffet_bytes *content);

/* Queues a JSON value on one line, of at most 32 KiB, for a sink that is granted: `sinks/NAME`. */
tuffet_error tuffet_sinks_emit(const char *sink, const char *json);

/*
 * Counters and gauges of the plugin's own, among the metrics of the server. Grant `metrics`. A plugin has at most 64 series,
 * each a name with values of its labels, so never use what clients choose freely. sdk/wit/policy.wit has the rules for names.
 */
tuffet_error tuffet_metrics_add(const char *name, uint64_t by, tuffet_pairs labels);
tuffet_error tuffet_metrics_set(const char *name, double value, tuffet_pairs labels);

/* A request of the client that has ended. */
typedef struct tuffet_past_request {
    tuffet_operation operation;
    const char *path;    /* normalised, or its first 255 bytes */
    const char *outcome; /* such as TUFFET_OUTCOME_SERVED */
    uint64_t ended_ms_ago;
} tuffet_past_request;

typedef struct tuffet_past_requests {
    const tuffet_past_request *items;
    size_t count;
} tuffet_past_requests;

/*
 * The last requests from the client's address, newest first, at most 16, without the present one. Grant `client-history`.
 * TUFFET_WRONG_PHASE where there is no client: in tuffet_configure, tuffet_observe and where content is made.
 */
tuffet_error tuffet_history_recent(tuffet_past_requests *requests);

/* Requests to hosts that are granted: `http/HOST`. At most 16 in a call. */

typedef struct tuffet_http_request {
    const char *method; /* NULL: GET */
    const char *url;    /* http:// or https:// */
    tuffet_pairs headers;
    const void *body;
    size_t body_length;
    size_t limit; /* the most bytes that the body of the response may have */
} tuffet_http_request;

typedef struct tuffet_http_response {
    uint16_t status;
    tuffet_pairs headers;
    tuffet_bytes body;
} tuffet_http_response;

/* Errors: TUFFET_NOT_GRANTED, TUFFET_BAD_ARGUMENT, TUFFET_TOO_LARGE and TUFFET_UNAVAILABLE. */
tuffet_error tuffet_http_get(const char *url, size_t limit, tuffet_http_response *response);
tuffet_error tuffet_http_send(const tuffet_http_request *request, tuffet_http_response *response);

#ifdef __cplusplus
}
#endif

#endif
