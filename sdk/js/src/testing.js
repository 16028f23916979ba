// Stand-ins for the server, for the native tests of a plugin: testing.d.ts has the documentation.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";

import { HostError } from "./errors.js";
import * as given from "./given.js";
import { connect } from "./host.js";
import { takeLabel } from "./label.js";
import { bytes } from "./values.js";

let state;

const COUNTER = { least: -(2n ** 63n), most: 2n ** 63n - 1n };

connect({
  log: { log: (level, message, fields) => state.logged.push({ level, message, fields: Object.fromEntries(fields) }) },
  kv: {
    get: (space, key) => keys(space).get(key),
    set: (space, key, value) => void put(space, key, value),
    delete: (space, key) => void keys(space).delete(key),
    swap(space, key, revision, value) {
      return keys(space).get(key)?.revision === revision ? put(space, key, value) : undefined;
    },
    list(space, prefix, after, limit) {
      const fits = [...keys(space).keys()].filter((key) => key.startsWith(prefix));
      const sorted = fits.sort(byBytes).filter((key) => after === undefined || byBytes(key, after) > 0);
      const page = sorted.slice(0, Math.min(limit, 1000));
      return page.map((key) => ({ key, entry: keys(space).get(key) }));
    },
    deletePrefix(space, prefix) {
      const page = this.list(space, prefix, undefined, 1000);
      for (const { key } of page) keys(space).delete(key);
      return page.length;
    },
    increment(space, key, by) {
      const value = keys(space).get(key)?.value ?? new Uint8Array(8);
      if (value.length !== 8) throw new HostError("bad-argument", `the value of ${key} is no counter`);
      const view = new DataView(value.buffer.slice(value.byteOffset, value.byteOffset + 8));
      let sum = view.getBigInt64(0, true) + by;
      if (sum > COUNTER.most) sum = COUNTER.most;
      if (sum < COUNTER.least) sum = COUNTER.least;
      view.setBigInt64(0, sum, true);
      put(space, key, new Uint8Array(view.buffer));
      return sum;
    },
  },
  files: {
    stat(root, path) {
      const found = file(root, path);
      return found && { size: BigInt(found.data.length), modifiedUnixMs: 0n, version: found.version };
    },
    read(root, path, limit) {
      const data = file(root, path)?.data;
      if (data?.length > limit) throw new HostError("too-large", `${path} has more than ${limit} bytes`);
      return data;
    },
    readAt(root, path, version, offset, length) {
      const found = file(root, path);
      if (found?.version !== version) throw new HostError("changed", `${path} is not the version ${version}`);
      return part(found.data, offset, length);
    },
  },
  uploadContent: {
    read(offset, length) {
      if (state.upload) return part(state.upload, offset, length);
      throw new HostError("wrong-phase", "there is an upload only in acceptUpload: upload() of tuffet/testing has its content");
    },
  },
  metrics: {
    add(name, by, labels) {
      const series = seriesOf(name, labels);
      state.metrics.set(series, (state.metrics.get(series) ?? 0) + Number(by));
    },
    set: (name, value, labels) => void state.metrics.set(seriesOf(name, labels), value),
  },
  history: { recent: () => state.history },
  sinks: {
    emit(sink, payload) {
      if (state.full.has(sink)) throw new HostError("full", "the queue of the sink is full");
      state.emitted.push({ sink, payload });
    },
  },
  http({ url }) {
    const response = state.responses.get(url);
    if (response) return response;
    throw new HostError("not-granted", `${url}: putResponse() lets it answer`);
  },
});

export function reset() {
  state = {
    // By the name of the namespace; undefined is the plugin's own.
    keys: new Map(),
    changes: 0n,
    files: new Map(),
    upload: undefined,
    metrics: new Map(),
    history: [],
    emitted: [],
    full: new Set(),
    logged: [],
    responses: new Map(),
  };
  takeLabel();
}
reset();

function keys(space) {
  if (!state.keys.has(space)) state.keys.set(space, new Map());
  return state.keys.get(space);
}

/** Sets a value; returns its revision. */
function put(space, key, value) {
  state.changes += 1n;
  keys(space).set(key, { value, revision: state.changes });
  return state.changes;
}

const file = (root, path) => state.files.get(JSON.stringify([root, path]));

const part = (data, offset, length) => data.slice(Number(offset), Number(offset) + length);

/** The order of code points, which is that of the bytes in UTF-8. */
function byBytes(left, right) {
  const [a, b] = [Array.from(left), Array.from(right)];
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    if (a[at] !== b[at]) return a[at].codePointAt(0) - b[at].codePointAt(0);
  }
  return a.length - b.length;
}

function seriesOf(name, labels) {
  return JSON.stringify([name, [...labels].sort(([a], [b]) => byBytes(a, b))]);
}

export async function configured(plugin, settings = {}) {
  // Through JSON, as the server hands them over.
  await plugin.configure?.(JSON.parse(JSON.stringify(settings)));
  return plugin;
}

export function request(path, { client, options = {}, time = new Date(0), labels = {}, attributes = {}, ...more } = {}) {
  const { macs, claimed, lease, ...its } = client ?? {};
  const from = (source, addresses = []) => addresses.map((address) => ({ address, source }));
  const known = { network: from("neighbour-table", macs), claimed: from("requested-name", claimed) };
  return new given.Request({
    id: "1",
    listener: "default",
    operation: "read",
    mode: "octet",
    requested: path,
    path,
    ...more,
    client: {
      address: "192.0.2.1",
      port: 49152,
      class: "unknown",
      ...its,
      macs: macs || claimed ? known : undefined,
      lease: lease && { age: 0, ...lease, expires: lease.expires && lease.expires / 1000 },
    },
    options: Object.entries(options),
    unixMs: BigInt(time.getTime()),
    labels: Object.entries(labels).map(([plugin, text]) => ({ plugin, text })),
    attributes: Object.entries(attributes),
  });
}

export async function upload(path, content = "", root = "boot") {
  const data = bytes(content);
  state.upload = data;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
  const sha256 = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return given.upload({ root, path, size: data.length, sha256, attributes: [] });
}

export { takeLabel };

export function putFile(root, path, content) {
  state.changes += 1n;
  state.files.set(JSON.stringify([root, path]), { data: bytes(content), version: String(state.changes) });
}

export function putResponse(url, response) {
  state.responses.set(url, response);
}

export function putHistory(...requests) {
  state.history = requests;
}

export function fill(sink) {
  state.full.add(sink);
}

export function metric(name, labels = {}) {
  return state.metrics.get(seriesOf(name, Object.entries(labels)));
}

export function takeEmitted(sink) {
  const taken = state.emitted.filter((line) => line.sink === sink);
  state.emitted = state.emitted.filter((line) => line.sink !== sink);
  return taken.map(({ payload }) => JSON.parse(payload));
}

export function takeLogged() {
  return state.logged.splice(0);
}

export function checkSettingsSchema(settings, path = "settings.schema.json") {
  // As JSON has it: no bigint.
  const text = JSON.stringify(settings.schema, (_key, value) => (typeof value === "bigint" ? Number(value) : value), 2);
  if (process.env.TUFFET_BLESS) writeFileSync(path, `${text}\n`);
  const remedy = `${path} is not the schema of these settings; run this test with TUFFET_BLESS=1 to write it`;
  assert.deepEqual(JSON.parse(readFileSync(path, "utf8")), JSON.parse(text), remedy);
}
