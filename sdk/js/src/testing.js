// Stand-ins for the server, for the native tests of a plugin: testing.d.ts has the documentation.

import { bytes } from "./answers.js";
import { Denied, Invalid, TooLarge } from "./errors.js";
import { connect } from "./host.js";

let state;

const COUNTER = { least: -(2n ** 63n), most: 2n ** 63n - 1n };

connect({
  log: (level, message, fields) => state.logged.push({ level, message, fields: Object.fromEntries(fields) }),
  kvGet: (key) => state.keys.get(key),
  kvSet: (key, value) => void state.keys.set(key, value),
  kvDelete: (key) => void state.keys.delete(key),
  kvIncrement(key, by) {
    const value = state.keys.get(key) ?? new Uint8Array(8);
    if (value.length !== 8) throw new Invalid(`the value of ${key} is no counter`);
    const view = new DataView(value.buffer.slice(value.byteOffset, value.byteOffset + 8));
    let sum = view.getBigInt64(0, true) + by;
    if (sum > COUNTER.most) sum = COUNTER.most;
    if (sum < COUNTER.least) sum = COUNTER.least;
    view.setBigInt64(0, sum, true);
    state.keys.set(key, new Uint8Array(view.buffer));
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
  emit: (sink, payload) => void state.emitted.push({ sink, payload }),
  http({ url }) {
    const response = state.responses.get(url);
    if (!response) throw new Denied(`${url}: putResponse() lets it answer`);
    return { status: response.status, content: response.body, headers: response.headers };
  },
});

export function reset() {
  state = { keys: new Map(), files: new Map(), emitted: [], logged: [], responses: new Map() };
}
reset();

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

export function takeEmitted(sink) {
  const taken = state.emitted.filter((line) => line.sink === sink);
  state.emitted = state.emitted.filter((line) => line.sink !== sink);
  return taken.map(({ payload }) => JSON.parse(payload));
}

export function takeLogged() {
  return state.logged.splice(0);
}
