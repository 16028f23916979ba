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

import { type history, type http, type Mac, type Request, type Upload } from "./index.js";

/** Forgets all keys, files, uploads, metrics, responses and lines. */
export function reset(): void;

/** Configures a plugin as the server does; throws what `configure` throws. */
export function configured<P extends { configure?: (settings: any) => unknown }>(
  plugin: P,
  settings?: unknown,
): Promise<P>;

/** A request. `macs` are those of the kernel's neighbour table. */
export function request(
  path: string,
  more?: Partial<Omit<Request, "client" | "options" | "path">> & {
    client?: string;
    macs?: Array<Mac["address"]>;
    class?: string;
    options?: Record<string, string>;
  },
): Request;

/** A complete upload. `uploads.read` reads its content from now on. */
export function upload(path: string, content?: string | Uint8Array, root?: string): Promise<Upload>;

/** Puts a file where `files` finds it. */
export function putFile(root: string, path: string, content: string | Uint8Array): void;

/** Lets a URL answer; every other one is denied. */
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
