// The commands of the reference guest: what a plugin may do, and what it should not.

import {
  files,
  history,
  HostError,
  http,
  kv,
  log,
  metrics,
  type Request,
  sinks,
  type Upload,
  uploads,
} from "tuffet";

// biome-ignore lint: commands are lists of anything.
export type Command = any[];

const WORDS: Record<string, string> = {
  Denied: "denied",
  Full: "full",
  Invalid: "invalid",
  NoAnswer: "no-answer",
  Quota: "quota",
  TooLarge: "too-large",
  Unavailable: "unavailable",
};

/** The calls of this instance. */
let calls = 0;
const kept: Uint8Array[] = [];

export function count(): void {
  calls += 1;
}

export async function runAll(commands: Command[], request?: Request, upload?: Upload): Promise<unknown[]> {
  const results = [];
  for (const command of commands) {
    try {
      results.push((await run(command, request, upload)) ?? null);
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      results.push({ error: word(error) });
    }
  }
  return results;
}

async function run([name, ...more]: Command, request?: Request, upload?: Upload): Promise<unknown> {
  const [first, second, third, fourth] = more;
  // Of a shared namespace, or where that is null, the plugin's own.
  const keys = () => (first === null ? kv : new kv.Shared(first));
  switch (name) {
    case "request":
      return request && shown(request);
    case "upload":
      return upload && { bytes: upload.bytes, path: upload.path, root: upload.root, sha256: upload.sha256 };
    case "kv-get":
      return kv.getText(first);
    case "kv-set":
      return kv.set(first, second, { ttl: third });
    case "kv-fill":
      return kv.set("k".repeat(first), new Uint8Array(second).fill(118));
    case "kv-delete":
      return kv.delete(first);
    case "kv-add":
      return kv.increment(first, second, { ttl: third });
    case "kv-sets":
      return untilError(first, (number) => kv.set(`key${number}`, "v"));
    case "kv-swap": {
      const revision = third === null ? undefined : BigInt(third);
      return keys().swap(second, revision, fourth) !== undefined;
    }
    case "kv-change": {
      const entry = keys().entry(second);
      const swapped = keys().swap(second, entry?.revision, third) !== undefined;
      return [entry ? new TextDecoder().decode(entry.value) : null, swapped];
    }
    case "kv-list":
      return keys().list(second, { after: third ?? undefined, limit: fourth });
    case "shared-get":
      return new kv.Shared(first).getText(second);
    case "shared-set":
      return new kv.Shared(first).set(second, third);
    case "shared-delete":
      return new kv.Shared(first).delete(second);
    case "shared-add":
      return new kv.Shared(first).increment(second, third);
    case "upload-read":
      return new TextDecoder().decode(uploads.read(first, second));
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
    case "stat":
      return files.stat(first, second)?.bytes;
    case "read":
      return files.readText(first, second, { limit: third });
    case "reads":
      return untilError(third, () => files.read(first, second, { limit: 2 ** 30 }));
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
      return [number, word(error)];
    }
  }
  return [count, null];
}

function word(error: HostError): string {
  return WORDS[error.name] ?? error.name;
}

function shown(request: Request): unknown {
  return {
    attributes: Object.fromEntries(request.attributes),
    class: request.client.class,
    client: request.client.address,
    id: request.id,
    listener: request.listener,
    macs: request.client.macs.map(({ address, source }) => [address, source]),
    mode: request.mode,
    operation: request.operation,
    options: Object.fromEntries([...request.options].sort()),
    path: request.path,
    port: request.client.port,
    requested: request.requested,
  };
}
