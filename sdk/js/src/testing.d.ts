/**
 * Stand-ins for the server, in memory, for the native tests of a plugin. There are no grants and no quotas, and time
 * to live is ignored.
 *
 * ```ts
 * import * as plugin from "./firmware.js";
 * import { configured, request, reset } from "tuffet/testing";
 *
 * beforeEach(reset);
 * test("the latest is the current version", async () => {
 *   await configured(plugin, { root: "boot", version: "1.4.2" });
 *   assert.deepEqual(plugin.resolve(request("latest.bin")), Resolution.files({ root: "boot", path: "1.4.2.bin" }));
 * });
 * ```
 *
 * @packageDocumentation
 */

import type { Client, history, http, Kind, Lease, Request, Upload } from "./index.js";

/** Forgets all keys, files, uploads, metrics, responses and lines. */
export function reset(): void;

/** Configures a plugin as the server does; throws what `configure` throws. */
export function configured<P extends { configure?: (settings: any) => unknown }>(
  plugin: P,
  settings?: unknown,
): Promise<P>;

type Fields<T> = { [K in keyof T as T[K] extends (...given: any[]) => unknown ? never : K]?: T[K] };

/**
 * A request. `macs` are those of the kernel's neighbour table, `claimed` those that the client names; without either, the
 * plugin has no grant `client-mac`.
 */
export function request(
  path: string,
  more?: Omit<Fields<Request>, "attributes" | "client" | "labels" | "options" | "path"> & {
    client?: Omit<Fields<Client>, "lease" | "macs"> & { macs?: string[]; claimed?: string[]; lease?: Partial<Lease> };
    options?: Record<string, string>;
    /** Those of plugins that were called before, by their names. */
    labels?: Record<string, string>;
    attributes?: Record<string, string>;
  },
): Request;

/** The label that a hook gave its request since this was asked last. */
export function takeLabel(): string | undefined;

/** A complete upload. `upload.read` of the plugin reads its content from now on. */
export function upload(path: string, content?: string | Uint8Array, root?: string): Promise<Upload>;

/** Puts a file, or a new version of it, where `files` finds it. */
export function putFile(root: string, path: string, content: string | Uint8Array): void;

/** Lets a URL answer; every other one is not granted. */
export function putResponse(url: string, response: http.Response): void;

/** Sets the last requests of the client, newest first. */
export function putHistory(...requests: history.PastRequest[]): void;

/** Lets a sink refuse lines from now on. */
export function fill(sink: string): void;

/** The value of a counter or gauge; `undefined` if it was never changed. */
export function metric(name: string, labels?: Record<string, string>): number | undefined;

/** The values that were sent to a sink since the last call. */
export function takeEmitted(sink: string): unknown[];

/** The lines that were logged since the last call. */
export function takeLogged(): Array<{ level: string; message: string; fields: Record<string, string> }>;

/**
 * Throws unless the file, which the build puts into the component, has the schema of these settings. With
 * `TUFFET_BLESS=1` in the environment, writes it.
 */
export function checkSettingsSchema(settings: Kind<unknown>, path?: string): void;
