import { host } from "./host.js";

const LIMIT = 1 << 20;

export function stat(root, path) {
  return host().stat(root, path);
}

export function read(root, path, { limit = LIMIT } = {}) {
  if (!Number.isInteger(limit) || limit < 0) throw new RangeError(`limit ${limit}: whole bytes are needed`);
  return host().read(root, path, limit);
}

export function readText(root, path, options) {
  const data = read(root, path, options);
  // The decoder removes a byte order mark and replaces what is not UTF-8.
  return data && new TextDecoder().decode(data);
}
