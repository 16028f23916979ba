// Calls to the server by the imports of the component. Only the interfaces that its manifest requests exist.

import * as errors from "../errors.js";

const KINDS = {
  denied: (text) => new errors.Denied(text),
  quota: () => new errors.Quota("the plugin has as many keys or bytes as it may have"),
  invalid: (text) => new errors.Invalid(text),
  unavailable: (text) => new errors.Unavailable(text),
  full: () => new errors.Full("the queue of the sink is full"),
  "too-large": (bytes) => new errors.TooLarge(Number(bytes)),
};

/** Calls an import, and turns an error of the interface into one of this package. */
function called(call, ...values) {
  try {
    return call(...values);
  } catch (error) {
    const kind = KINDS[error?.payload?.tag];
    throw kind ? kind(error.payload.val) : error;
  }
}

function absent(grant) {
  throw new Error(
    `the plugin does not request the grant ${grant}: add "${grant}": "REASON" to tuffet.grants in package.json, ` +
      "and build it again",
  );
}

export function server({ log, kv, files, sinks, http }) {
  const granted = (grant, its) => its ?? absent(grant);
  return {
    log: (level, message, fields) => log.log(level, message, fields),
    kvGet: (key) => called(granted("kv", kv).get, key),
    kvSet: (key, value, ttl) => called(granted("kv", kv).set, key, value, ttl),
    kvDelete: (key) => called(granted("kv", kv).delete, key),
    kvIncrement: (key, by, ttl) => called(granted("kv", kv).increment, key, by, ttl),
    stat(root, path) {
      const found = called(granted("files", files).stat, root, path);
      return found && { bytes: Number(found.bytes), modified: new Date(Number(found.modifiedUnixMs)) };
    },
    read: (root, path, limit) => called(granted("files", files).read, root, path, BigInt(limit)),
    emit: (sink, payload) => called(granted("sinks", sinks).emit, sink, payload),
    http: (request) => granted("http", http)(request),
  };
}
