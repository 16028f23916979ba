import { host } from "./host.js";
import { whole } from "./values.js";

const LIMIT = 1 << 20;

export function stat(root, path) {
  const found = host().files.stat(root, path);
  if (!found) return undefined;
  const { size, modifiedUnixMs, version } = found;
  return { size: Number(size), modified: new Date(Number(modifiedUnixMs)), version };
}

export function read(root, path, { limit = LIMIT } = {}) {
  return host().files.read(root, path, whole("limit", limit, 64));
}

export function readText(root, path, options) {
  const data = read(root, path, options);
  // The decoder removes a byte order mark and replaces what is not UTF-8.
  return data && new TextDecoder().decode(data);
}

export function readAt(root, path, version, offset, length) {
  return host().files.readAt(root, path, version, whole("offset", offset ?? NaN, 64), whole("length", length ?? NaN, 32));
}
