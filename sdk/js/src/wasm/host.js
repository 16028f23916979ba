// Calls to the server by the imports of the component. Only the interfaces that its manifest requests exist.

import * as errors from "../errors.js";

const KINDS = {
  denied: (text) => new errors.Denied(text),
  quota: () => new errors.Quota("the plugin has as many keys or bytes as it may have"),
  invalid: (text) => new errors.Invalid(text),
  unavailable: (text) => new errors.Unavailable(text),
  full: () => new errors.Full("the queue of the sink is full, or the plugin has as many series as it may have"),
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

export function server({ log, kv, sharedKv, files, sinks, metrics, uploadContent, history, http }) {
  const granted = (grant, its) => its ?? absent(grant);
  // A call of `kv`, or the one of the same name for a shared namespace.
  const keys = (name, space, ...values) =>
    space === undefined
      ? called(granted("kv", kv)[name], ...values)
      : called(granted("kv", sharedKv)[name], space, ...values);
  return {
    log: (level, message, fields) => log.log(level, message, fields),
    kvGet: (space, key) => keys(space === undefined ? "getEntry" : "get", space, key),
    kvSet: (space, key, value, ttl) => keys("set", space, key, value, ttl),
    kvSwap: (space, key, revision, value, ttl) => keys("swap", space, key, revision, value, ttl),
    kvDelete: (space, key) => keys("delete", space, key),
    kvIncrement: (space, key, by, ttl) => keys("increment", space, key, by, ttl),
    kvList: (space, prefix, after, limit) => keys("list", space, prefix, after, limit),
    stat(root, path) {
      const found = called(granted("files", files).stat, root, path);
      return found && { bytes: Number(found.bytes), modified: new Date(Number(found.modifiedUnixMs)) };
    },
    read: (root, path, limit) => called(granted("files", files).read, root, path, BigInt(limit)),
    uploadRead: (offset, length) => called(granted("upload", uploadContent).read, BigInt(offset), length),
    metricsAdd: (name, labels, by) => called(granted("metrics", metrics).add, name, labels, by),
    metricsSet: (name, labels, value) => called(granted("metrics", metrics).set, name, labels, value),
    history: () =>
      called(granted("client-history", history).recent).map(({ endedMsAgo, ...past }) => ({
        ...past,
        endedMsAgo: Number(endedMsAgo),
      })),
    emit: (sink, payload) => called(granted("sinks", sinks).emit, sink, payload),
    http: (request) => granted("http", http)(request),
  };
}
