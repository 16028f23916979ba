/**
 * Write policy plugins for Tuffet in JavaScript and TypeScript.
 *
 * A plugin is a module. Its hooks are the functions that it exports: `authorize`, `resolve`, `acceptUpload`, `observe`,
 * and `render`, or `begin` and `part`, for content that `resolve` names by a key. `configure` takes the settings. All of
 * them may be async; what a hook throws fails the call.
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

/** A word of the server: one of these, or one that a later server has. */
export type Word<Known extends string> = Known | (string & {});

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
  /** Where it was learnt. */
  readonly source: Word<"neighbour-table" | "lease-file" | "requested-name">;
}

export interface MacAddresses {
  /** What the network says, most trustworthy source first. Use these to decide who may do something. */
  readonly network: readonly Mac[];
  /** The address in the name that the client asked for. Use it to choose among files that the client may have anyway. */
  readonly claimed: readonly Mac[];
}

/** The lease of the client's address. What names a machine is there with the grant `client-mac` alone. */
export interface Lease {
  readonly mac?: string;
  /** The client identifier (DHCP option 61), or the DUID of DHCPv6: hexadecimal octets with colons. */
  readonly clientId?: string;
  /** The UUID of the machine (DHCP option 97). */
  readonly uuid?: string;
  readonly hostname?: string;
  /** DHCP option 60. */
  readonly vendorClass?: string;
  /** DHCP option 93. */
  readonly architecture?: number;
  /** Absent for a lease that does not end. */
  readonly expires?: Date;
  /** Seconds since the file was read, or last seen unchanged. */
  readonly age: number;
}

export interface Client {
  /** The IP address as text; an IPv4-mapped IPv6 address is given as IPv4. */
  readonly address: string;
  readonly port: number;
  /** Absent without the grant `client-mac`. */
  readonly macs?: MacAddresses;
  /** Absent without a lease, and without the fact `lease` in the manifest. */
  readonly lease?: Lease;
  /** The kind of client, guessed from its request: `ipxe`, `u-boot`, `curl`, `unknown` and so on. A hint. */
  readonly class: string;
  /**
   * Whether the network says that the client has this MAC address, in any letter case, with `:`, `-`, `.` or nothing
   * between its digits. Throws without the grant `client-mac`.
   */
  hasMac(address: string): boolean;
  /** What the network says, most trustworthy source first. Throws without the grant `client-mac`. */
  networkMacs(): readonly Mac[];
  /** What the client claims, by the name that it asked for. Throws without the grant `client-mac`. */
  claimedMacs(): readonly Mac[];
  /**
   * All addresses, those that the network knows first, and none without the grant `client-mac`: for records, never to
   * decide who may do something.
   */
  anyMacs(): readonly Mac[];
}

/** Where a request arrived. */
export interface Arrival {
  /** The address that it was sent to; for a broadcast, that of the interface. */
  readonly address?: string;
  readonly interfaceName?: string;
  readonly vlan?: number;
}

export interface Request {
  /** Unique among the requests of one process of the server; log lines and events carry the same. */
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
  /** Absent without the facts `local-address`, `interface` and `vlan` in the manifest; each field needs its own. */
  readonly arrival?: Arrival;
  /** The options as sent; names in lower case. */
  readonly options: ReadonlyMap<string, string>;
  /** When it arrived; needs no grant. A rehearsal may have another time. */
  readonly time: Date;
  /** What plugins that were called before have attached, in the order of the calls; of each plugin the last. */
  readonly labels: ReadonlyArray<{ readonly plugin: string; readonly text: string }>;
  /**
   * `raw-name`: the bytes of the requested name in hexadecimal digits, if they are not UTF-8. `unsafe-name`: why the server
   * refuses the name unless `resolve` names a file for it; `path` has U+FFFD in place of what is not safe then.
   * `case`: `insensitive` where every spelling of `path` finds the file, also one that is new; compare names regardless of
   * case then. Later servers add more.
   */
  readonly attributes: ReadonlyMap<string, string>;
  /** The label of a plugin that was called before, by its name in the configuration. */
  labelOf(plugin: string): string | undefined;
  /** The value of an option, whose name may be in any letter case. */
  option(name: string): string | undefined;
  attribute(name: string): string | undefined;
}

/** A complete upload: on disk, not visible yet. */
export interface Upload {
  /** The name of its root. */
  readonly root: string;
  /** The path in that root. */
  readonly path: string;
  /** The size of the file in bytes. */
  readonly size: number;
  /** The SHA-256 digest of the file: 64 lower-case hexadecimal digits. */
  readonly sha256: string;
  readonly attributes: ReadonlyMap<string, string>;
}

/** A file in a root. */
export interface Target {
  /** The name of a configured root. */
  readonly root: string;
  /** A path in that root. */
  readonly path: string;
}

export interface Abstained {
  readonly kind: "abstain";
}
export interface Denied {
  readonly kind: "deny";
  readonly code: ErrorCode;
  readonly message: string;
  readonly reason: string;
}
export interface Dropped {
  readonly kind: "drop";
  readonly reason: string;
}
export interface DenyOptions {
  /** Logged, never sent. */
  reason?: string;
  /** Default `access-violation`. */
  code?: ErrorCode;
}

/** Answers that several hooks have. */
interface Abstaining {
  /** No opinion: the next plugin decides, at the end the configuration. */
  abstain(): Abstained;
}
interface Denying {
  /** No: the client, or all that wait for the content, get an ERROR with `message`, at most 200 bytes of it. */
  deny(message: string, options?: DenyOptions): Denied;
}
interface Dropping {
  /** No, and without any answer: the client asks again, or asks another server. The reason is for the log. */
  drop(reason: string): Dropped;
}

/** What a later version of the interface names; a name that the server does not know is an invalid answer. */
export type Attributes = Readonly<Record<string, string>>;

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
 * How a transfer is negotiated and sent; absent means as configured. `sdk/wit/policy.wit` says how the profiles of several
 * plugins combine. A number that does not fit, or an unknown key, is a thrown error.
 */
export interface Profile {
  /** The most that is granted. */
  ceilings?: SessionValues;
  /** The least that a session is served with: a client that negotiates less gets the error `option-refused`. */
  floors?: SessionValues;
  /** These take the place of the configured ceilings on blocks and windows, and of the configured time-outs. */
  overrides?: SessionValues;
  /** The size in bytes of the largest file that may be read or written. */
  maxSize?: number | bigint;
  /** Blocks of a window that are sent at once, at least 1; the others follow, paced. */
  burst?: number;
  /** The most bytes of file data in a second, at least 1024. */
  rate?: number | bigint;
  /** Options that are not acknowledged, such as `multicast`. */
  refuseOptions?: readonly string[];
  attributes?: Attributes;
}

/** The answer of `authorize`. */
export type Verdict = Abstained | Denied | Dropped | { readonly kind: "allow"; readonly profile: Readonly<Profile> };
export const Verdict: Abstaining & Denying & Dropping & {
  /** Yes, unless a later plugin denies. */
  allow(profile?: Profile): Verdict;
};

export interface ContentOptions {
  /** What it is, for logs and observers: at most 200 bytes of one line. See {@link oneLine}. */
  name?: string;
  attributes?: Attributes;
}
export interface ExpiringOptions extends ContentOptions {
  /** Seconds until the next request has it made anew; by default it holds until the configuration is loaded again. */
  ttl?: number;
}

/** Makes a name of any text: what is longer than 200 bytes is cut, and control characters become spaces. */
export function oneLine(text: string): string;

/**
 * Gives the request a label, such as `canary`: with the answer of this call of `authorize` or `resolve`, whatever it is.
 * Plugins that are called later see it (`request.labelOf`), and so do people. 1 to 32 letters of ASCII, digits, `.`, `_` and
 * `-`; another text is an invalid answer. Use few different ones: metrics count the requests of each. The last call counts.
 */
export function label(text: string): void;

/** Something that may be served. */
export type Candidate =
  | ({ readonly kind: "file" } & Target)
  | ({ readonly kind: "content"; readonly data: Uint8Array } & Readonly<ContentOptions>)
  | { readonly kind: "rendering"; readonly key: string };
export const Candidate: {
  /** A file, if it exists. For a write request, where it goes. */
  file(target: Target): Candidate;
  /** The content itself; text is sent as UTF-8. Never an answer to a write request. */
  content(data: string | Uint8Array, options?: ContentOptions): Candidate;
  /**
   * The content that `render`, or `begin` and `part`, make for this key, of 1 to 1024 bytes: once for all requests with
   * this key. The server keeps it in memory while there is room. Never an answer to a write request.
   */
  rendering(key: string): Candidate;
};

export interface ServeOptions {
  /** If none of the candidates exists, the next plugin decides, and at the end the path is looked up in the roots. */
  elseNext?: boolean;
  /** How it is sent: with what `authorize` allowed, as if one more plugin had allowed. */
  profile?: Profile;
}

/** The answer of `resolve`. */
export type Resolution =
  | Abstained
  | Denied
  | Dropped
  | {
      readonly kind: "serve";
      readonly candidates: readonly Candidate[];
      readonly elseNext: boolean;
      readonly profile?: Readonly<Profile>;
    };
export const Resolution: Abstaining & Denying & Dropping & {
  /**
   * The first of these that exists is served; content always exists, so nothing may follow it. A file of its own, else a
   * generated one:
   *
   * ```ts
   * Resolution.serve([Candidate.file({ root: "boot", path: request.path }), Candidate.rendering(request.path)]);
   * ```
   */
  serve(candidates: readonly Candidate[], options?: ServeOptions): Resolution;
  /** Serves the first of these files that exists. */
  files(...targets: Target[]): Resolution;
  /** Serves this content. */
  content(data: string | Uint8Array, options?: ContentOptions): Resolution;
  /** Serves what is rendered for this key. */
  rendered(key: string): Resolution;
};

/**
 * The answer of `render(key: string)`, which makes the content for a key that `resolve` answered with, maybe in another
 * instance. It may depend on the key, the settings and the grants alone.
 */
export type Rendering = Denied | ({ readonly kind: "content"; readonly data: Uint8Array } & Readonly<ExpiringOptions>);
export const Rendering: Denying & {
  content(data: string | Uint8Array, options?: ExpiringOptions): Rendering;
};

/**
 * The answer of `begin(key: string)`, which announces content in parts: what is larger than the bound on content, or takes
 * longer than a call may. Clients read what there is while the rest is made. The server calls it before `render`, for a key
 * that `resolve` answered with. A plugin exports both `begin` and `part`, or neither.
 */
export type Beginning =
  | Denied
  | ({ readonly kind: "parts"; readonly size: bigint } & Readonly<ExpiringOptions>)
  | { readonly kind: "whole" };
export const Beginning: Denying & {
  /** Content of `size` bytes, for which the server asks part by part. */
  parts(size: number | bigint, options?: ExpiringOptions): Beginning;
  /** `render` makes this content, all of it at once. */
  whole(): Beginning;
};

/**
 * The answer of `part(key: string, offset: number, length: number)`, which makes bytes from `offset` on: at least one, at
 * most `length`. The server asks for one part after the other, each time with the limits of a call, and maybe in another
 * instance: the bytes may depend on the arguments, the settings and the grants alone.
 */
export type Part = Denied | { readonly kind: "bytes"; readonly data: Uint8Array };
export const Part: Denying & {
  /** The bytes; text is sent as UTF-8. */
  bytes(data: string | Uint8Array): Part;
};

/** The answer of `acceptUpload`. A denial takes the place of the last ACK, and the server removes the file. */
export type Acceptance =
  | Abstained
  | Denied
  | { readonly kind: "accept" }
  | { readonly kind: "rename"; readonly path: string; readonly nextFree: boolean };
export const Acceptance: Abstaining & Denying & {
  /** The upload becomes visible, unless a later plugin denies. */
  accept(): Acceptance;
  /**
   * The upload becomes visible under this path of the same root, whose folder exists, or is made where the root makes
   * folders. With `nextFree`, if there is such a file already, it gets the first free one of `PATH.1` to `PATH.999`.
   */
  rename(path: string, options?: { nextFree?: boolean }): Acceptance;
};

/** How a request ended. */
export type Outcome = Word<
  "served" | "stored" | "probed" | "aborted" | "denied" | "not-found" | "timed-out" | "failed"
>;

/** What a request turned out to ask for: a file, or content that a plugin made, with its name if it has one. */
export type Resolved = ({ readonly kind: "file" } & Target) | { readonly kind: "content"; readonly name?: string };

/** What was decided about a request. */
export interface Decided {
  readonly request: Request;
  /** Absent if it was refused before that was known. */
  readonly resolved?: Resolved;
  /** The plugin that decided; absent if the configuration did. */
  readonly decidedBy?: string;
  /** Bytes on the wire, if known. */
  readonly size?: number;
  /** Microseconds from the request to the decision; absent without one. */
  readonly decisionUs?: number;
}

export interface Occurred<Kind> {
  readonly kind: Kind;
  /**
   * Counts the events of one process of the server, from 1. No two have the same, and an event that is given again has the
   * one of before. Numbers may be missing.
   */
  readonly sequence: number;
  readonly time: Date;
}

/** A request was granted; blocks are about to move. */
export interface Started extends Occurred<"started">, Decided {}

/** The progress of a transfer. */
export interface Progressed extends Occurred<"progressed"> {
  readonly requestId: string;
  /** Bytes that arrived. */
  readonly transferred: number;
  /** Bytes on the wire, if known. */
  readonly size?: number;
}

/** A request has ended. */
export interface Finished extends Occurred<"finished">, Decided {
  /** What was answered. Why, and how it ended, is the outcome's to say. */
  readonly decision: Word<"granted" | "refused" | "dropped" | "undecided">;
  readonly outcome: Outcome;
  /** More about the outcome; not for clients. */
  readonly detail?: string;
  /** The number of plugins that were called. */
  readonly pluginCalls: number;
  /** Where the file of a refused request was looked for, in order; at most 16. */
  readonly tried: readonly Target[];
  /** The plugin that named these places, if one did. */
  readonly triedBy?: string;
  /** Bytes in a block, as negotiated. */
  readonly blksize: number;
  /** Blocks in a window, as negotiated. */
  readonly windowsize: number;
  /** The option `timeout` in seconds, if negotiated. */
  readonly timeoutOption?: number;
  /** The option `tsize` in bytes, if answered. */
  readonly tsize?: number;
  /** Bytes that arrived. */
  readonly transferred: number;
  /** Blocks that arrived. */
  readonly blocks: number;
  readonly retransmissions: number;
  readonly duplicates: number;
  /** How often the client was silent for too long. */
  readonly timeouts: number;
  /** The smoothed round-trip time in microseconds, if measured. */
  readonly rttUs?: number;
  /** Microseconds from the request to the first block that is known to have arrived. */
  readonly firstBlockUs?: number;
  /** Microseconds from the request to the end. */
  readonly durationUs: number;
  /** `other-case`, `hint`: see `sdk/wit/policy.wit`. */
  readonly attributes: ReadonlyMap<string, string>;
}

/** An event of a kind that this version does not know. */
export interface Other extends Occurred<"other"> {
  /** The kind. */
  readonly name: string;
  /** Absent for an event that belongs to no request. */
  readonly requestId?: string;
  readonly attributes: ReadonlyMap<string, string>;
}

/** What `observe` receives, in the order in which it happened. */
export type Event = Started | Progressed | Finished | Other;

/** A failed call of the server: `message` has the reason in words. */
export class HostError extends Error {
  constructor(code: HostErrorCode, message: string);
  /**
   * - `not-granted`: the grant is not given, in the manifest or in the configuration;
   * - `wrong-phase`: this function is not there while this hook, or `configure`, runs;
   * - `bad-argument`: a name, a length or a value is out of bounds, or a value is no counter;
   * - `bad-path`: the path leads out of its root, or may not be read;
   * - `not-a-file`: the path is that of a folder, a device or the like;
   * - `changed`: the file is not the version that was asked for, or changes while it is read;
   * - `too-large`: there are more bytes than the limit, or than this call of a hook may still read;
   * - `quota`: the plugin has as many keys, bytes or series as it may have;
   * - `full`: the queue of a sink is full; there is room again later;
   * - `exhausted`: this call of a hook has made as many calls of the server as it may make;
   * - `unavailable`: the disk, the database or the origin failed, or did not answer in time.
   */
  readonly code: HostErrorCode;
}
export type HostErrorCode = Word<
  | "not-granted"
  | "wrong-phase"
  | "bad-argument"
  | "bad-path"
  | "not-a-file"
  | "changed"
  | "too-large"
  | "quota"
  | "full"
  | "exhausted"
  | "unavailable"
>;

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
 * namespace; with the grant `kv/NAME`, plugins share the namespace `kv.shared("NAME")`, and where the keys are in a
 * bucket of NATS, the plugins of all its servers do. Its functions, and those below, throw {@link HostError}.
 */
export namespace kv {
  interface Ttl {
    /** The value is gone after so many seconds; without it, it stays. */
    ttl?: number;
  }
  /** A value and its revision. Each change of a key gives it a higher one. */
  interface Entry {
    readonly value: Uint8Array;
    readonly revision: bigint;
  }
  interface Listed extends Entry {
    readonly key: string;
  }
  interface Page {
    /** The last key of the page before. */
    after?: string;
    /** The most keys of a page [default: 1000, which is the most there may be]. */
    limit?: number;
  }
  interface Keys {
    /** The value; `undefined` if there is none. */
    get(key: string): Uint8Array | undefined;
    /** The value as text in UTF-8. */
    getText(key: string): string | undefined;
    /** The value with the revision for `swap`. */
    entry(key: string): Entry | undefined;
    /** Replaces the value. It is on disk when the call returns. */
    set(key: string, value: string | Uint8Array, options?: Ttl): void;
    /**
     * Replaces the value if the key still has the revision of this entry; with `undefined`, creates the key if it does not
     * exist. Returns the new revision, or `undefined` if the key has another one: read it again, and decide anew. After
     * the error `unavailable` the value may have been replaced all the same.
     */
    swap(key: string, revision: bigint | undefined, value: string | Uint8Array, options?: Ttl): bigint | undefined;
    delete(key: string): void;
    /** Adds to a counter, atomically, and returns the sum. `ttl` counts from when the counter begins. */
    increment(key: string, by?: number | bigint, options?: Ttl): bigint;
    /**
     * A page of the keys that begin with `prefix`, with their values, in the order of the bytes of the keys; none behind
     * 1 MiB. An empty page is the end. Changes between two pages may be seen or not.
     */
    list(prefix?: string, page?: Page): Listed[];
    /** Removes keys that begin with `prefix`, at most 1000, and returns how many: call it until that is 0. */
    deletePrefix(prefix: string): number;
  }
}
export const kv: kv.Keys & {
  /** A namespace that plugins share. The quota of the plugin that writes counts all its keys. */
  shared(name: string): kv.Keys;
};

/** Files in the roots that are granted, one by one: `files/ROOT`. A call of a hook may read 64 MiB in all. */
export namespace files {
  interface Metadata {
    /** In bytes. */
    readonly size: number;
    readonly modified: Date;
    /** Names this content of the file: another one after each change. */
    readonly version: string;
  }
  interface ReadOptions {
    /** The largest size in bytes [default: 1 MiB]. */
    limit?: number;
  }
  /** `undefined` if there is no such file. */
  function stat(root: string, path: string): Metadata | undefined;
  /** The whole file; `undefined` if there is no such file. */
  function read(root: string, path: string, options?: ReadOptions): Uint8Array | undefined;
  /** The same as text in UTF-8, without a byte order mark; other bytes are replaced. */
  function readText(root: string, path: string, options?: ReadOptions): string | undefined;
  /**
   * Bytes of this version of the file, as `stat` gave it; fewer than `length` where the file ends. A file that has another
   * version, or is gone, is the error `changed`.
   */
  function readAt(root: string, path: string, version: string, offset: number | bigint, length: number): Uint8Array;
}

/**
 * The content of the upload that `acceptUpload` decides about; only while that hook runs. The grant `upload`. A parameter
 * with the name `upload` hides it: `acceptUpload(request, file)`.
 */
export namespace upload {
  /** Bytes of the file, which has `size`; fewer where it ends. A call of the hook may read 8 MiB in all. */
  function read(offset: number | bigint, length: number): Uint8Array;
}

/**
 * Counters and gauges of the plugin's own, among the metrics of the server: `tuffet_plugin_counter_total` and
 * `tuffet_plugin_gauge`, with the plugin's name, the name given here, and the labels. The grant `metrics`. A plugin has at
 * most 64 series, each a name with values of its labels, so never use what clients choose freely.
 */
export namespace metrics {
  type Labels = Readonly<Record<string, string>>;
  /** Adds to a counter, which begins at 0: `metrics.add("lookups", 1, { answer: "hit" })`. */
  function add(name: string, by?: number | bigint, labels?: Labels): void;
  /** Sets a gauge to a finite number. */
  function set(name: string, value: number, labels?: Labels): void;
}

/** What the client of a request asked for before; where there is a client. The grant `client-history`. */
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

/** Outputs that the configuration names: `sinks/NAME` grants one. */
export namespace sinks {
  /** Queues a value as one line of JSON, at most 32 KiB. A bigint becomes its digits. */
  function emit(sink: string, value: unknown): void;
  /** The same with JSON that is already written. */
  function emitLine(sink: string, payload: string): void;
}

/**
 * HTTP requests to the hosts that are granted: `http/HOST:PORT`, 16 a call. They wait for the answer, within the
 * time of the call. `fetch` works too; these functions tell a refused host from one that does not answer, by the codes
 * `not-granted` and `unavailable`.
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
  /** Adds to the schema what the type does not say: a description, and further keywords such as a format. */
  described(description: string, keywords?: SchemaKeywords): Kind<T>;
  /** The JSON Schema of these settings. */
  readonly schema: Record<string, unknown>;
}

/** Keywords of JSON Schema. The server checks them before it asks the plugin. */
export interface SchemaKeywords {
  /** The setting names a part of the configuration. */
  format?: "listener-name" | "root-name" | "granted-root-name" | "granted-sink-name" | "class-name" | "granted-url" | "secret";
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}
export interface OptionalKind<T> extends Kind<T> {
  readonly isOptional: true;
  described(description: string, keywords?: SchemaKeywords): OptionalKind<T>;
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
