// The commands of the reference guest: what a plugin may do, and what it should not.

import {
  files,
  history,
  HostError,
  http,
  kv,
  log,
  type Mac,
  metrics,
  type Request,
  sinks,
  type Upload,
  upload,
} from "tuffet";

// biome-ignore lint: commands are lists of anything.
export type Command = any[];

/** The calls of this instance. */
let calls = 0;
const kept: Uint8Array[] = [];

export function count(): void {
  calls += 1;
}

export async function runAll(commands: Command[], request?: Request, file?: Upload): Promise<unknown[]> {
  const results = [];
  for (const command of commands) {
    try {
      results.push((await run(command, request, file)) ?? null);
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      results.push({ error: error.code });
    }
  }
  return results;
}

async function run([name, ...more]: Command, request?: Request, file?: Upload): Promise<unknown> {
  const [first, second, third, fourth] = more;
  // Of a shared namespace, or where that is null, the plugin's own.
  const keys = (): kv.Keys => (first === null ? kv : kv.shared(first));
  switch (name) {
    case "request":
      return request && shown(request);
    case "upload":
      return file && { path: file.path, root: file.root, sha256: file.sha256, size: file.size };
    case "kv-get":
      return keys().getText(second);
    case "kv-set":
      return keys().set(second, third, { ttl: fourth });
    case "kv-delete":
      return keys().delete(second);
    case "kv-add":
      return keys().increment(second, third, { ttl: fourth });
    case "kv-swap": {
      const revision = third === null ? undefined : BigInt(third);
      return keys().swap(second, revision, fourth) !== undefined;
    }
    case "kv-change": {
      const entry = keys().entry(second);
      const swapped = keys().swap(second, entry?.revision, third) !== undefined;
      return [entry ? text(entry.value) : null, swapped];
    }
    case "kv-list":
      return keys().list(second, { after: third ?? undefined, limit: fourth }).map(({ key }) => key);
    case "kv-entries":
      return keys()
        .list(second, { after: third ?? undefined, limit: fourth })
        .map(({ key, value }) => [key, text(value)]);
    case "kv-delete-prefix":
      return keys().deletePrefix(second);
    case "kv-fill":
      return kv.set("k".repeat(first), new Uint8Array(second).fill(118));
    case "kv-sets":
      return untilError(first, (number) => kv.set(`key${number}`, "v"));
    case "upload-read":
      return text(upload.read(first, second));
    case "count":
      return metrics.add(first, second, third);
    case "counts":
      return untilError(first, (number) => metrics.add(`n${number}`));
    case "gauge":
      return metrics.set(first, second, third);
    case "history":
      return history
        .recent()
        .map(({ operation, path, outcome, endedMsAgo }) => [operation, path, outcome, endedMsAgo < 600_000]);
    case "has-mac":
      return request?.client.hasMac(first);
    case "macs":
      if (first === "network") return pairs(request?.client.networkMacs());
      return pairs(first === "claimed" ? request?.client.claimedMacs() : request?.client.anyMacs());
    case "stat":
      return files.stat(first, second)?.size;
    case "read":
      return files.readText(first, second, { limit: third });
    case "reads":
      return untilError(third, () => files.read(first, second, { limit: 2 ** 30 }));
    case "read-at": {
      const version = files.stat(first, second)?.version;
      return version === undefined ? null : text(files.readAt(first, second, version, third, fourth));
    }
    case "read-version":
      return text(files.readAt(first, second, third, fourth, more[4]));
    case "emit":
      return sinks.emit(first, second);
    case "emit-line":
      return sinks.emitLine(first, second);
    case "emits":
      return untilError(second, (number) => sinks.emit(first, number));
    case "log":
      return log[first as "info"](second, third);
    case "logs":
      return untilError(first, (number) => log.error(`line ${number} ${"x".repeat(2000)}`));
    case "get": {
      const response = http.get(first, { limit: second });
      return [response.status, response.text()];
    }
    case "post": {
      const response = http.send("POST", first, { headers: { "x-probe": "yes" }, body: second });
      return [response.status, response.text()];
    }
    case "clock":
      return Math.floor(Date.now() / 1000);
    case "random":
      return Array.from(crypto.getRandomValues(new Uint8Array(8))).join(" ");
    case "calls":
      return calls;
    default:
      return misbehave(name, first);
  }
}

async function misbehave(name: string, value: unknown): Promise<void> {
  switch (name) {
    case "loop":
      for (;;);
    case "hog":
      for (;;) kept.push(new Uint8Array(1 << 20).fill(1));
    case "grow":
      kept.push(new Uint8Array(Number(value) << 20).fill(1));
      return;
    case "recurse":
      return misbehave(name, recurse(0));
    case "sleep":
      await new Promise((done) => setTimeout(done, Number(value) * 1000));
      return;
    case "exit":
      // The engine has no way to end a process.
      throw new Error(`exit ${value}`);
    case "fail":
      throw new Error(String(value));
    case "print":
      return console.log(value);
    case "escape":
      return escape();
  }
  throw new Error(`no such command: ${name}`);
}

function recurse(depth: number): number {
  return 1 + recurse(depth + 1);
}

/** Looks for what a plugin must not find. */
function escape(): void {
  for (const name of ["process", "require", "Deno", "Bun", "XMLHttpRequest", "WebSocket", "Worker"]) {
    if (name in globalThis) throw new Error(`a way out: ${name}`);
  }
}

/** How many calls succeeded, and why the next failed. */
function untilError(count: number, call: (number: number) => unknown): unknown {
  for (let number = 0; number < count; number++) {
    try {
      call(number);
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      return [number, error.code];
    }
  }
  return [count, null];
}

const text = (data: Uint8Array): string => new TextDecoder().decode(data);

const pairs = (macs?: readonly Mac[]) => macs?.map(({ address, source }) => [address, source]);

function shown({ arrival, client, ...request }: Request): unknown {
  const { lease, macs } = client;
  return {
    arrival: arrival
      ? {
          address: arrival.address ?? null,
          "interface-name": arrival.interfaceName ?? null,
          vlan: arrival.vlan ?? null,
        }
      : null,
    attributes: sorted(request.attributes),
    class: client.class,
    client: client.address,
    id: request.id,
    labels: request.labels.map(({ plugin, text }) => [plugin, text]),
    lease: lease
      ? {
          age: lease.age,
          architecture: lease.architecture ?? null,
          "client-id": lease.clientId ?? null,
          expires: lease.expires ? lease.expires.getTime() / 1000 : null,
          hostname: lease.hostname ?? null,
          mac: lease.mac ?? null,
          uuid: lease.uuid ?? null,
          "vendor-class": lease.vendorClass ?? null,
        }
      : null,
    listener: request.listener,
    macs: macs ? { claimed: pairs(macs.claimed), network: pairs(macs.network) } : null,
    mode: request.mode,
    operation: request.operation,
    options: sorted(request.options),
    path: request.path,
    port: client.port,
    requested: request.requested,
    "unix-ms": request.time.getTime(),
  };
}

/** A map with its keys in the order of the alphabet. */
export const sorted = (entries: Iterable<[string, unknown]>) => Object.fromEntries([...entries].sort());
