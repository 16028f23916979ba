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

function ceiling(name, value, highest) {
  if (value === undefined) return undefined;
  const whole = typeof value === "bigint" || Number.isInteger(value);
  if (!whole || value < 0 || value > highest) {
    throw new RangeError(`${name} ${value}: a whole number from 0 to ${highest} is needed`);
  }
  return value;
}

export const Verdict = Object.freeze({
  abstain,
  allow({ blksize, windowsize, bytes } = {}) {
    return Object.freeze({
      kind: "allow",
      blksize: ceiling("blksize", blksize, 65535),
      windowsize: ceiling("windowsize", windowsize, 65535),
      bytes: ceiling("bytes", bytes, 18446744073709551615n),
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
  content(data) {
    return Object.freeze({ kind: "content", data: bytes(data) });
  },
  deny,
});

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
