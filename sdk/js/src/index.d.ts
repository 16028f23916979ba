/**
 * Write policy plugins for Tuffet in JavaScript and TypeScript.
 *
 * A plugin is a module. Its hooks are the functions that it exports: `authorize`, `resolve`, `acceptUpload`, `observe`.
 * `configure` takes the settings. All of them may be async; what a hook throws fails the call.
 *
 * ```ts
 * import { Problem, type Request, Verdict } from "tuffet";
 *
 * let folder = "incoming";
 *
 * export function configure(settings: { folder?: string }) {
 *   folder = settings.folder ?? folder;
 *   if (folder.startsWith("/")) throw new Problem("/folder", 'paths are relative to a root: leave the first "/" out');
 * }
 *
 * export function authorize(request: Request): Verdict {
 *   if (request.operation === "write" && !request.path.startsWith(`${folder}/`)) {
 *     return Verdict.deny("no uploads here", { reason: "outside of the upload folder" });
 *   }
 *   return Verdict.abstain();
 * }
 * ```
 *
 * @packageDocumentation
 */

/** The code of the ERROR packet that a denied client gets (RFC 1350 section 5, RFC 2347). */
export type ErrorCode =
  | "not-defined"
  | "file-not-found"
  | "access-violation"
  | "disk-full"
  | "file-exists"
  | "option-refused";

/** A MAC address: a hint, not a credential. Every source of it can be forged by someone on the same network. */
export interface Mac {
  /** Six lower-case hexadecimal octets with colons: `02:00:5e:10:00:01`. */
  readonly address: string;
  /** Where it was learnt, most trustworthy first. */
  readonly source: "neighbour-table" | "lease-file" | "requested-name";
}

export interface Client {
  /** The IP address as text; an IPv4-mapped IPv6 address is given as IPv4. */
  readonly address: string;
  readonly port: number;
  /** The known MAC addresses, most trustworthy source first. Empty without the grant `client-mac`. */
  readonly macs: readonly Mac[];
  /** The kind of client, guessed from its request: `ipxe`, `u-boot`, `curl`, `unknown` and so on. A hint. */
  readonly class: string;
}

export interface Request {
  /** Stable for the life of the transfer; log lines carry the same. */
  readonly id: string;
  /** The name of the listener. */
  readonly listener: string;
  readonly operation: "read" | "write";
  readonly mode: "octet" | "netascii";
  /** The name as sent, for the log. Never use it as a path. */
  readonly requested: string;
  /** The normalised path below the virtual root: no leading slash, no `.` or `..`. */
  readonly path: string;
  readonly client: Client;
  /** The options as sent; names in lower case. */
  readonly options: ReadonlyMap<string, string>;
  /** Facts that later servers add, as pairs of a name and a value. */
  readonly attributes: ReadonlyArray<readonly [string, string]>;
}

/** A complete upload: on disk, not visible yet. */
export interface Upload {
  /** The name of its root. */
  readonly root: string;
  /** The path in that root. */
  readonly path: string;
  /** The size of the file. */
  readonly bytes: number;
  /** The SHA-256 digest of the file: 64 lower-case hexadecimal digits. */
  readonly sha256: string;
}

/** A path in a configured root. */
export interface Target {
  readonly root: string;
  readonly path: string;
}

export interface Abstained {
  readonly kind: "abstain";
}
export interface Deny {
  readonly kind: "deny";
  readonly code: ErrorCode;
  readonly message: string;
  readonly reason: string;
}
export interface DenyOptions {
  /** Logged, never sent. */
  reason?: string;
  /** Default `access-violation`. */
  code?: ErrorCode;
}

/** The numbers of a session that a client may negotiate. */
export interface SessionValues {
  /** Bytes in a block, 8 to 65464 (RFC 2348). */
  blksize?: number;
  /** Blocks in a window, 1 to 65535 (RFC 7440). */
  windowsize?: number;
  /** Seconds before a packet is sent again, 1 to 255 (RFC 2349). */
  timeout?: number;
}

/**
 * How a transfer is negotiated and sent; absent means as configured. `sdk/wit/v0.2/policy.wit` says how the profiles of
 * several plugins combine.
 */
export interface Profile {
  /** The largest block that is granted, in bytes, 8 to 65464. */
  blksize?: number;
  /** The largest window that is granted, in blocks, 1 to 65535. */
  windowsize?: number;
  /** The longest time that is acknowledged, in seconds, 1 to 255. */
  timeout?: number;
  /** The largest file that may be read or written, in bytes. */
  bytes?: number | bigint;
  /** The least that a session is served with: a client that negotiates less gets the error `option-refused`. */
  floors?: SessionValues;
  /** These take the place of the configured ceilings on blocks and windows, and of the configured time-outs. */
  overrides?: SessionValues;
  /** Blocks of a window that are sent at once, at least 1; the others follow, paced. */
  burst?: number;
  /** The most bytes of file data in a second, at least 1024. */
  rate?: number | bigint;
  /** Options that are not acknowledged, such as `multicast`. */
  refuseOptions?: readonly string[];
}

/** The name of {@link Profile} in version 0.1.0 of the interface, where it had ceilings alone. */
export type Limits = Profile;

/** The answer of `authorize`. */
export type Verdict = Abstained | Deny | ({ readonly kind: "allow" } & Readonly<Profile>) | { readonly kind: "drop" };
export const Verdict: {
  /** No opinion: the next plugin decides, at the end the configuration. */
  abstain(): Verdict;
  /** Yes, unless a later plugin denies. Throws a RangeError for a number that does not fit the interface. */
  allow(profile?: Profile): Verdict;
  /** No: the client gets an ERROR with `message`, at most 200 bytes of it. */
  deny(message: string, options?: DenyOptions): Deny;
  /** No, and without any answer. */
  drop(): Verdict;
};

export interface ContentOptions {
  /** What it is, for logs and observers, who see it as `content/NAME`: at most 200 bytes of one line. See {@link oneLine}. */
  name?: string;
}

/** Makes a name of any text: what is longer than 200 bytes is cut, and control characters become spaces. */
export function oneLine(text: string): string;

/**
 * The answer of `render(key: string)`, which makes the content for a key that `resolve` answered with, maybe in another
 * instance. It may depend on the key, the settings and the grants alone.
 */
export type Rendering =
  | Deny
  | { readonly kind: "content"; readonly data: Uint8Array; readonly name?: string; readonly ttl?: number };
export const Rendering: {
  /** Content; after `ttl` seconds the next request has it rendered anew, by default when the configuration is loaded again. */
  content(data: string | Uint8Array, options?: ContentOptions & { ttl?: number }): Rendering;
  /** No: all requests that wait for the content get an ERROR with `message`. The server does not keep it. */
  deny(message: string, options?: DenyOptions): Deny;
};

/**
 * The answer of `begin(key: string)`, which announces content in parts: what is larger than the bound on content, or takes
 * longer than a call may. Clients read what there is while the rest is made. The server calls it before `render`, for a key
 * that `resolve` answered with. A plugin exports both `begin` and `part`, or neither.
 */
export type Beginning =
  | Deny
  | { readonly kind: "parts"; readonly size: number | bigint; readonly name?: string; readonly ttl?: number }
  | { readonly kind: "whole" };
export const Beginning: {
  /** Content of `size` bytes, for which the server asks part by part; `name` and `ttl` are those of a rendering. */
  parts(size: number | bigint, options?: ContentOptions & { ttl?: number }): Beginning;
  /** `render` makes this content, all of it at once. */
  whole(): Beginning;
  /** No: all requests that wait for the content get an ERROR with `message`. */
  deny(message: string, options?: DenyOptions): Deny;
};

/**
 * The answer of `part(key: string, offset: number, length: number)`, which makes bytes from `offset` on: at least one, at
 * most `length`. The server asks for one part after the other, each time with the limits of a call, and maybe in another
 * instance: the bytes may depend on the arguments, the settings and the grants alone.
 */
export type Part = Deny | { readonly kind: "bytes"; readonly data: Uint8Array };
export const Part: {
  /** The bytes. */
  bytes(data: Uint8Array): Part;
  /** No: all transfers of this content end with an ERROR. */
  deny(message: string, options?: DenyOptions): Deny;
};

/** The answer of `resolve`. */
export type Resolution =
  | Abstained
  | Deny
  | { readonly kind: "files" | "files-else-next"; readonly targets: readonly Target[] }
  | { readonly kind: "content"; readonly data: Uint8Array; readonly name?: string }
  | { readonly kind: "rendered"; readonly key: string };
export const Resolution: {
  /** No opinion: the next plugin decides; at the end the path is looked up in the roots, in order. */
  abstain(): Resolution;
  /** The first of these that exists is served. */
  files(...targets: Target[]): Resolution;
  /**
   * As `files`. But if none of them exists, the next plugin of the chain decides, and at the end the path is looked up in
   * the roots. For a write request there is no else.
   */
  filesElseNext(...targets: Target[]): Resolution;
  /** The content itself; text is sent as UTF-8. */
  content(data: string | Uint8Array, options?: ContentOptions): Resolution;
  /**
   * The content that `render` makes for this key, of 1 to 1024 bytes: once for all requests with this key. The server keeps
   * it in memory while there is room.
   */
  rendered(key: string): Resolution;
  /** No: the client gets an ERROR with `message`. */
  deny(message: string, options?: DenyOptions): Deny;
};

/** The answer of `acceptUpload`. */
export type Acceptance =
  | Abstained
  | Deny
  | { readonly kind: "accept" }
  | { readonly kind: "rename"; readonly path: string };
export const Acceptance: {
  /** No opinion: the next plugin decides; at the end the upload is accepted. */
  abstain(): Acceptance;
  /** The upload becomes visible, unless a later plugin denies. */
  accept(): Acceptance;
  /** The upload becomes visible under this path of the same root, whose folder exists. */
  rename(path: string): Acceptance;
  /** No: the client gets an ERROR in place of the last ACK, and the server removes the file. */
  deny(message: string, options?: DenyOptions): Deny;
};

/** How a request ended. */
export type Outcome =
  | "served"
  | "stored"
  | "probed"
  | "aborted"
  | "denied"
  | "not-found"
  | "timed-out"
  | "failed";

/** A request was granted; blocks are about to move. */
export interface Started {
  readonly kind: "started";
  readonly time: Date;
  readonly request: Request;
  /** `ROOT:PATH`, or `content` if a plugin made it. */
  readonly resolved?: string;
  /** The plugin that decided; absent if the configuration did. */
  readonly verdictBy?: string;
  /** Bytes on the wire, if known. */
  readonly size?: number;
  /** Microseconds from the request to the decision. */
  readonly decisionUs: number;
}

/** The progress of a transfer. */
export interface Progressed {
  readonly kind: "progressed";
  readonly time: Date;
  /** The id of the request. */
  readonly id: string;
  /** Bytes that arrived. */
  readonly bytes: number;
  readonly size?: number;
}

/** A request has ended. */
export interface Finished {
  readonly kind: "finished";
  readonly time: Date;
  readonly request: Request;
  readonly outcome: Outcome;
  /** More about the outcome; not for clients. */
  readonly detail?: string;
  readonly decision: "granted" | "refused" | "dropped" | "undecided";
  readonly verdictBy?: string;
  /** The number of plugins that were called. */
  readonly pluginCalls: number;
  readonly resolved?: string;
  readonly size?: number;
  /** Bytes in a block, as negotiated. */
  readonly blksize: number;
  /** Blocks in a window, as negotiated. */
  readonly windowsize: number;
  /** The option `timeout` in seconds, if negotiated. */
  readonly timeoutOption?: number;
  /** The option `tsize` in bytes, if answered. */
  readonly tsize?: number;
  /** Bytes that arrived. */
  readonly bytes: number;
  /** Blocks that arrived. */
  readonly blocks: number;
  readonly retransmissions: number;
  readonly duplicates: number;
  /** How often the client was silent for too long. */
  readonly timeouts: number;
  /** The smoothed round-trip time in microseconds, if measured. */
  readonly rttUs?: number;
  readonly decisionUs?: number;
  /** Microseconds from the request to the first block that is known to have arrived. */
  readonly firstBlockUs?: number;
  /** Microseconds from the request to the end. */
  readonly durationUs: number;
  readonly attributes: ReadonlyArray<readonly [string, string]>;
}

/** What `observe` receives, in the order in which it happened. */
export type Event = Started | Progressed | Finished;

/** Lines for the server's log: 32 a call, of 1024 bytes each. The server adds the plugin's name and the request. */
export namespace log {
  type Fields = Readonly<Record<string, unknown>>;
  function trace(message: string, fields?: Fields): void;
  function debug(message: string, fields?: Fields): void;
  function info(message: string, fields?: Fields): void;
  function warn(message: string, fields?: Fields): void;
  function error(message: string, fields?: Fields): void;
}

/**
 * Keys and values that outlive the call and the process. The grant `kv`. `ttl` is in seconds. Each plugin has its own
 * namespace; with the grant `kv/NAME`, plugins share the namespace `new kv.Shared("NAME")`, and where the keys are in a
 * bucket of NATS, the plugins of all its servers do.
 *
 * Throws {@link Denied}, {@link Quota}, {@link Invalid} and {@link Unavailable}.
 */
export namespace kv {
  interface Ttl {
    /** The value is gone after so many seconds; without it, it stays. */
    ttl?: number;
  }
  /** The value; `undefined` if there is none. */
  function get(key: string): Uint8Array | undefined;
  /** The value as text in UTF-8. */
  function getText(key: string): string | undefined;
  /** Replaces the value. It is on disk when the call returns. */
  function set(key: string, value: string | Uint8Array, options?: Ttl): void;
  function remove(key: string): void;
  export { remove as delete };
  /** Adds to a counter, atomically, and returns the sum. `ttl` counts from when the counter begins. */
  function increment(key: string, by?: number | bigint, options?: Ttl): bigint;
  /** A value and its revision. Each change of a key gives it a higher one. */
  interface Entry {
    readonly value: Uint8Array;
    readonly revision: bigint;
  }
  /** The value with the revision for `swap`; `undefined` if there is none. */
  function entry(key: string): Entry | undefined;
  /**
   * Replaces the value if the key still has the revision of this entry; with `undefined`, creates the key if it does not
   * exist. Returns the new revision, or `undefined` if the key has another one: read it again, and decide anew. After
   * {@link Unavailable} the value may have been replaced all the same.
   */
  function swap(
    key: string,
    revision: bigint | undefined,
    value: string | Uint8Array,
    options?: Ttl,
  ): bigint | undefined;
  interface Page {
    /** The last key of the page before. */
    after?: string;
    /** The most keys of a page [default: 1000, which is the most there may be]. */
    limit?: number;
  }
  /**
   * A page of the keys that begin with `prefix`, in the order of their bytes. An empty page is the end. Changes between two
   * pages may be seen or not.
   */
  function list(prefix?: string, page?: Page): string[];
  /** A namespace that plugins share. The quota of the plugin that writes counts all its keys. */
  class Shared {
    constructor(name: string);
    get(key: string): Uint8Array | undefined;
    getText(key: string): string | undefined;
    entry(key: string): Entry | undefined;
    set(key: string, value: string | Uint8Array, options?: Ttl): void;
    swap(key: string, revision: bigint | undefined, value: string | Uint8Array, options?: Ttl): bigint | undefined;
    delete(key: string): void;
    increment(key: string, by?: number | bigint, options?: Ttl): bigint;
    list(prefix?: string, page?: Page): string[];
  }
  export { get, getText, entry, set, swap, increment, list, Entry, Page, Shared, Ttl };
}

/**
 * Files in the roots that are granted, one by one: `files/ROOT`. A call may read 64 MiB in all.
 *
 * Throws {@link Denied}, {@link TooLarge}, {@link Invalid} and {@link Unavailable}.
 */
export namespace files {
  interface Metadata {
    readonly bytes: number;
    readonly modified: Date;
  }
  interface ReadOptions {
    /** The largest size in bytes [default: 1 MiB]. */
    limit?: number;
  }
  /** Size and time of change; `undefined` if there is no such file. */
  function stat(root: string, path: string): Metadata | undefined;
  /** The whole file; `undefined` if there is no such file. */
  function read(root: string, path: string, options?: ReadOptions): Uint8Array | undefined;
  /** The same as text in UTF-8, without a byte order mark; other bytes are replaced. */
  function readText(root: string, path: string, options?: ReadOptions): string | undefined;
}

/**
 * The content of the upload that `acceptUpload` decides about; only while that hook runs. The grant `upload`.
 *
 * Throws {@link Denied}, {@link Invalid} and {@link Unavailable}.
 */
export namespace uploads {
  /** Bytes of the file, whose size is `upload.bytes`; fewer where it ends. A call of the hook may read 8 MiB in all. */
  function read(offset: number, length: number): Uint8Array;
}

/**
 * Counters and gauges of the plugin's own, among the metrics of the server: `tuffet_plugin_counter_total` and
 * `tuffet_plugin_gauge`, with the plugin's name, the name given here, and the labels. The grant `metrics`. A plugin has at
 * most 64 series, each a name with values of its labels, so never use what clients choose freely.
 *
 * Throws {@link Denied}, {@link Full} and {@link Invalid}.
 */
export namespace metrics {
  type Labels = Readonly<Record<string, string>>;
  /** Adds to a counter, which begins at 0: `metrics.add("lookups", 1, { answer: "hit" })`. */
  function add(name: string, by?: number | bigint, labels?: Labels): void;
  /** Sets a gauge to a finite number. */
  function set(name: string, value: number, labels?: Labels): void;
}

/**
 * What the client of a request asked for before. The grant `client-history`.
 *
 * Throws {@link Denied}, also where there is no client (in `configure`, `render` and `observe`), and {@link Invalid}.
 */
export namespace history {
  /** A request that has ended. */
  interface PastRequest {
    readonly operation: "read" | "write";
    /** The normalised path, or its first 255 bytes. */
    readonly path: string;
    readonly outcome: Outcome;
    /** Milliseconds since it ended. */
    readonly endedMsAgo: number;
  }
  /** The last requests from the client's address, newest first, at most 16. The present one is not among them. */
  function recent(): PastRequest[];
}

/**
 * Outputs that the configuration names: `sinks/NAME` grants one.
 *
 * Throws {@link Denied}, {@link Full} and {@link Invalid}.
 */
export namespace sinks {
  /** Queues a value as one line of JSON, at most 32 KiB. A bigint becomes its digits. */
  function emit(sink: string, value: unknown): void;
  /** The same with JSON that is already written. */
  function emitLine(sink: string, payload: string): void;
}

/**
 * HTTP requests to the hosts that are granted: `http/HOST:PORT`, 16 a call. They wait for the answer, within the
 * time of the call. `fetch` works too; these functions tell a refused host from one that does not answer.
 *
 * Throws {@link Invalid}, {@link Denied}, {@link TooLarge} and {@link NoAnswer}.
 */
export namespace http {
  class Response {
    constructor(status: number, body?: string | Uint8Array, headers?: Array<[string, string]>);
    readonly status: number;
    readonly body: Uint8Array;
    readonly headers: ReadonlyArray<readonly [string, string]>;
    text(): string;
    json(): unknown;
    /** The first header with this name. */
    header(name: string): string | undefined;
  }
  interface Options {
    headers?: Record<string, string>;
    body?: string | Uint8Array;
    /** The largest answer in bytes [default: 1 MiB]. */
    limit?: number;
  }
  function get(url: string, options?: Omit<Options, "body">): Response;
  function send(method: string, url: string, options?: Options): Response;
}

/** The base of the errors of calls to the server. */
export class HostError extends Error {}
/** Not granted, out of the root, or called in `configure`. */
export class Denied extends HostError {}
/** The plugin has as many keys or bytes as it may have. */
export class Quota extends HostError {}
/** Out of bounds: the key, the path, the payload, the URL, or the number of calls. */
export class Invalid extends HostError {}
/** The disk or the database failed. */
export class Unavailable extends HostError {}
/** The queue of the sink is full: it is slow or broken. Or the plugin has as many metrics as it may have. */
export class Full extends HostError {}
/** The file, or the answer by HTTP, is larger than the limit. */
export class TooLarge extends HostError {
  /** The size of the file; absent for an answer by HTTP. */
  readonly bytes?: number;
}
/** The host or the network failed during an HTTP request. */
export class NoAnswer extends HostError {}

/** One error in the settings, thrown by `configure`. The server shows the line that the pointer leads to. */
export class Problem extends Error {
  /** `pointer`: a JSON pointer (RFC 6901) into the settings; empty for the settings as a whole. */
  constructor(pointer: string, message: string);
  readonly pointer: string;
}

/** Several errors in the settings: an operator fixes them in one go. */
export class Problems extends Error {
  constructor(problems?: Iterable<Problem>);
  readonly problems: Problem[];
  add(pointer: string, message: string): void;
  /** Throws itself if there is any. */
  check(): void;
}

/** Appends steps to a JSON pointer: `pointer("/rules", 0, "path")` is `/rules/0/path`. */
export function pointer(base: string, ...steps: Array<string | number>): string;

/** A type of settings. */
export interface Kind<T> {
  /** Reads settings. Throws {@link Problems} with all that is wrong: unknown keys, missing keys, wrong types. */
  parse(settings: unknown): T;
  /** The key may be left out. */
  optional(): OptionalKind<T | undefined>;
  /** The key may be left out, and then has this value. */
  default(value: T): OptionalKind<T>;
}
export interface OptionalKind<T> extends Kind<T> {
  readonly isOptional: true;
}
export type Parsed<K> = K extends Kind<infer T> ? T : never;

/**
 * Types of settings, to check them and give them a type in one step:
 *
 * ```ts
 * const Settings = settings.object({ root: settings.string(), "max-files": settings.integer().default(10) });
 * const its = Settings.parse(given);
 * ```
 */
export const settings: {
  string(): Kind<string>;
  number(): Kind<number>;
  integer(): Kind<number>;
  /** A whole number of 64 bits. */
  large(): Kind<bigint>;
  boolean(): Kind<boolean>;
  any(): Kind<any>;
  oneOf<const W extends string>(...words: W[]): Kind<W>;
  list<T>(item: Kind<T>): Kind<T[]>;
  map<T>(item: Kind<T>): Kind<Record<string, T>>;
  object<F extends Record<string, Kind<any>>>(fields: F): Kind<{ [K in keyof F]: Parsed<F[K]> }>;
};
