// The answers of the hooks: frozen objects with a `kind`.

import { bytes, whole } from "./values.js";

const CODES = ["not-defined", "file-not-found", "access-violation", "disk-full", "file-exists", "option-refused"];

const answer = (kind, its) => Object.freeze({ kind, ...its });

const abstain = () => answer("abstain");

function deny(message, { reason = "", code = "access-violation" } = {}) {
  if (!CODES.includes(code)) throw new RangeError(`code ${code}: there are ${CODES.join(", ")}`);
  return answer("deny", { code, message: String(message), reason: String(reason) });
}

const drop = (reason) => answer("drop", { reason: String(reason) });

export const Verdict = Object.freeze({
  abstain,
  allow: (given) => answer("allow", { profile: profile(given) }),
  deny,
  drop,
});

export const Candidate = Object.freeze({
  file: ({ root, path }) => answer("file", { root: String(root), path: String(path) }),
  content: (data, options) => answer("content", { data: bytes(data), ...described(options) }),
  rendering: (key) => answer("rendering", { key: String(key) }),
});

function serve(candidates, { elseNext = false, profile: given } = {}) {
  return answer("serve", { candidates: [...candidates], elseNext, profile: given && profile(given) });
}

export const Resolution = Object.freeze({
  abstain,
  serve,
  files: (...targets) => serve(targets.map(Candidate.file)),
  content: (data, options) => serve([Candidate.content(data, options)]),
  rendered: (key) => serve([Candidate.rendering(key)]),
  deny,
  drop,
});

export const Rendering = Object.freeze({
  content: (data, { ttl, ...options } = {}) =>
    answer("content", { ...Candidate.content(data, options), ttl: whole("ttl", ttl, 32) }),
  deny,
});

export const Beginning = Object.freeze({
  parts: (size, { ttl, ...options } = {}) =>
    answer("parts", { size: whole("size", size ?? NaN, 64), ...described(options), ttl: whole("ttl", ttl, 32) }),
  whole: () => answer("whole"),
  deny,
});

export const Part = Object.freeze({
  bytes: (data) => answer("bytes", { data: bytes(data) }),
  deny,
});

export const Acceptance = Object.freeze({
  abstain,
  accept: () => answer("accept"),
  rename: (path, { nextFree = false } = {}) => answer("rename", { path: String(path), nextFree }),
  deny,
});

/** A profile whose numbers fit. A misspelt key would be a limit that is not there. */
function profile({ ceilings, floors, overrides, maxSize, burst, rate, refuseOptions = [], attributes, ...rest } = {}) {
  nothing("a profile", rest);
  return Object.freeze({
    ceilings: values("ceilings", ceilings),
    floors: values("floors", floors),
    overrides: values("overrides", overrides),
    maxSize: whole("maxSize", maxSize, 64),
    burst: whole("burst", burst, 16),
    rate: whole("rate", rate, 64),
    refuseOptions: Array.from(refuseOptions, String),
    attributes: { ...attributes },
  });
}

function values(name, { blksize, windowsize, timeout, ...rest } = {}) {
  nothing(name, rest);
  return Object.freeze({
    blksize: whole(`${name}.blksize`, blksize, 16),
    windowsize: whole(`${name}.windowsize`, windowsize, 16),
    timeout: whole(`${name}.timeout`, timeout, 8),
  });
}

function nothing(name, rest) {
  for (const key of Object.keys(rest)) throw new TypeError(`there is no \`${key}\` in ${name}`);
}

const described = ({ name, attributes } = {}) => ({
  name: name === undefined ? undefined : String(name),
  attributes: { ...attributes },
});

export function oneLine(text) {
  const encoded = new TextEncoder().encode(text).subarray(0, 200);
  // With `stream`, an incomplete character at the end is left out.
  const cut = new TextDecoder("utf-8", { ignoreBOM: true }).decode(encoded, { stream: true });
  return cut.replace(/\p{Cc}/gu, " ");
}
