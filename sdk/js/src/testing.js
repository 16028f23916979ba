// Stand-ins for the server, for the native tests of a plugin: testing.d.ts has the documentation.

import { bytes } from "./answers.js";
import { Denied, Full, Invalid, TooLarge } from "./errors.js";
import { connect } from "./host.js";

let state;

const COUNTER = { least: -(2n ** 63n), most: 2n ** 63n - 1n };

connect({
  log: (level, message, fields) => state.logged.push({ level, message, fields: Object.fromEntries(fields) }),
  kvGet: (space, key) => keys(space).get(key),
  kvSet: (space, key, value) => void put(space, key, value),
  kvDelete: (space, key) => void keys(space).delete(key),
  kvSwap(space, key, revision, value) {
    return keys(space).get(key)?.revision === revision ? put(space, key, value) : undefined;
  },
  kvList(space, prefix, after, limit) {
    const fits = [...keys(space).keys()].filter((key) => key.startsWith(prefix));
    const sorted = fits.sort(byBytes).filter((key) => after === undefined || byBytes(key, after) > 0);
    return sorted.slice(0, Math.min(limit, 1000));
  },
  kvIncrement(space, key, by) {
    const value = keys(space).get(key)?.value ?? new Uint8Array(8);
    if (value.length !== 8) throw new Invalid(`the value of ${key} is no counter`);
    const view = new DataView(value.buffer.slice(value.byteOffset, value.byteOffset + 8));
    let sum = view.getBigInt64(0, true) + by;
    if (sum > COUNTER.most) sum = COUNTER.most;
    if (sum < COUNTER.least) sum = COUNTER.least;
    view.setBigInt64(0, sum, true);
    put(space, key, new Uint8Array(view.buffer));
    return sum;
  },
  stat(root, path) {
    const found = state.files.get(`${root}:${path}`);
    return found && { bytes: found.length, modified: new Date(0) };
  },
  read(root, path, limit) {
    const found = state.files.get(`${root}:${path}`);
    if (found && found.length > limit) throw new TooLarge(found.length);
    return found;
  },
  uploadRead(offset, length) {
    if (!state.upload) throw new Denied("there is an upload only in acceptUpload: upload() of tuffet/testing has its content");
    return state.upload.slice(offset, offset + length);
  },
  metricsAdd(name, labels, by) {
    const series = seriesOf(name, labels);
    state.metrics.set(series, (state.metrics.get(series) ?? 0) + Number(by));
  },
  metricsSet: (name, labels, value) => void state.metrics.set(seriesOf(name, labels), value),
  history: () => state.history,
  emit(sink, payload) {
    if (state.full.has(sink)) throw new Full("the queue of the sink is full");
    state.emitted.push({ sink, payload });
  },
  http({ url }) {
    const response = state.responses.get(url);
    if (!response) throw new Denied(`${url}: putResponse() lets it answer`);
    return { status: response.status, content: response.body, headers: response.headers };
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

export function request(path, more = {}) {
  const { client = "192.0.2.1", macs = [], class: kind = "unknown", options = {}, ...rest } = more;
  return {
    id: "1",
    listener: "default",
    operation: "read",
    mode: "octet",
    requested: path,
    path,
    attributes: [],
    ...rest,
    client: {
      address: client,
      port: 49152,
      macs: macs.map((address) => ({ address, source: "neighbour-table" })),
      class: kind,
    },
    options: new Map(Object.entries(options)),
  };
}

export async function upload(path, content = "", root = "boot") {
  const data = bytes(content);
  state.upload = data;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
  const sha256 = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return { root, path, bytes: data.length, sha256 };
}

export function putFile(root, path, content) {
  state.files.set(`${root}:${path}`, bytes(content));
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
