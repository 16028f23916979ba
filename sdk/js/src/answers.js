// The answers of the hooks: frozen objects with a `kind`.

const CODES = [
  "not-defined",
  "file-not-found",
  "access-violation",
  "disk-full",
  "file-exists",
  "option-refused",
];

const ABSTAIN = Object.freeze({ kind: "abstain" });
const DROP = Object.freeze({ kind: "drop" });
const ACCEPT = Object.freeze({ kind: "accept" });

function abstain() {
  return ABSTAIN;
}

function deny(message, { reason = "", code = "access-violation" } = {}) {
  if (!CODES.includes(code)) throw new RangeError(`code ${code}: there are ${CODES.join(", ")}`);
  return Object.freeze({ kind: "deny", message: String(message), reason: String(reason), code });
}

function number(name, value, highest) {
  if (value === undefined) return undefined;
  const whole = typeof value === "bigint" || Number.isInteger(value);
  if (!whole || value < 0 || value > highest) {
    throw new RangeError(`${name} ${value}: a whole number from 0 to ${highest} is needed`);
  }
  return value;
}

const MOST = 18446744073709551615n;

function values(name, { blksize, windowsize, timeout } = {}) {
  return Object.freeze({
    blksize: number(`${name}.blksize`, blksize, 65535),
    windowsize: number(`${name}.windowsize`, windowsize, 65535),
    timeout: number(`${name}.timeout`, timeout, 255),
  });
}

export const Verdict = Object.freeze({
  abstain,
  allow({ blksize, windowsize, timeout, bytes, floors, overrides, burst, rate, refuseOptions = [] } = {}) {
    return Object.freeze({
      kind: "allow",
      blksize: number("blksize", blksize, 65535),
      windowsize: number("windowsize", windowsize, 65535),
      timeout: number("timeout", timeout, 255),
      bytes: number("bytes", bytes, MOST),
      floors: values("floors", floors),
      overrides: values("overrides", overrides),
      burst: number("burst", burst, 65535),
      rate: number("rate", rate, MOST),
      refuseOptions: Object.freeze(Array.from(refuseOptions, String)),
    });
  },
  deny,
  drop: () => DROP,
});

export const Resolution = Object.freeze({
  abstain,
  files(...targets) {
    return Object.freeze({ kind: "files", targets: targets.map(({ root, path }) => ({ root, path })) });
  },
  filesElseNext(...targets) {
    return Object.freeze({ kind: "files-else-next", targets: targets.map(({ root, path }) => ({ root, path })) });
  },
  content: (data, { name } = {}) => content(data, name),
  rendered(key) {
    return Object.freeze({ kind: "rendered", key: String(key) });
  },
  deny,
});

export const Rendering = Object.freeze({
  content: (data, { name, ttl } = {}) =>
    Object.freeze({ ...content(data, name), ttl: number("ttl", ttl, 4294967295) }),
  deny,
});

const WHOLE = Object.freeze({ kind: "whole" });

export const Beginning = Object.freeze({
  parts: (size, { name, ttl } = {}) =>
    Object.freeze({
      kind: "parts",
      size: number("size", size ?? NaN, MOST),
      name: name === undefined ? undefined : String(name),
      ttl: number("ttl", ttl, 4294967295),
    }),
  whole: () => WHOLE,
  deny,
});

export const Part = Object.freeze({
  bytes(data) {
    if (data instanceof Uint8Array) return Object.freeze({ kind: "bytes", data });
    throw new TypeError(`a Uint8Array is needed, not ${typeof data}`);
  },
  deny,
});

function content(data, name) {
  const its = { kind: "content", data: bytes(data) };
  return Object.freeze(name === undefined ? its : { ...its, name: String(name) });
}

export function oneLine(text) {
  const encoded = new TextEncoder().encode(text).subarray(0, 200);
  // With `stream`, an incomplete character at the end is left out.
  const cut = new TextDecoder("utf-8", { ignoreBOM: true }).decode(encoded, { stream: true });
  return cut.replace(/\p{Cc}/gu, " ");
}

export const Acceptance = Object.freeze({
  abstain,
  accept: () => ACCEPT,
  rename(path) {
    return Object.freeze({ kind: "rename", path: String(path) });
  },
  deny,
});

export function bytes(data) {
  if (typeof data === "string") return new TextEncoder().encode(data);
  if (data instanceof Uint8Array) return data;
  throw new TypeError(`a string or a Uint8Array is needed, not ${typeof data}`);
}
