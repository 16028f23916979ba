import { host } from "./host.js";
import { bytes, whole } from "./values.js";

const LEAST = -(2n ** 63n);

/** The keys of a namespace that plugins share; `undefined` is the name of the plugin's own. */
export function shared(space) {
  const entry = (key) => host().kv.get(space, key);
  const get = (key) => entry(key)?.value;
  return {
    entry,
    get,

    getText(key) {
      const value = get(key);
      return value && new TextDecoder().decode(value);
    },

    set(key, value, { ttl } = {}) {
      host().kv.set(space, key, bytes(value), whole("ttl", ttl, 32));
    },

    swap(key, revision, value, { ttl } = {}) {
      return host().kv.swap(space, key, whole("revision", revision, 64), bytes(value), whole("ttl", ttl, 32));
    },

    delete(key) {
      host().kv.delete(space, key);
    },

    increment(key, by = 1, { ttl } = {}) {
      const summand = BigInt(by);
      if (summand < LEAST || summand >= -LEAST) throw new RangeError(`by ${by}: a signed number of 64 bits is needed`);
      return host().kv.increment(space, key, summand, whole("ttl", ttl, 32));
    },

    list(prefix = "", { after, limit = 1000 } = {}) {
      const listed = host().kv.list(space, prefix, after, whole("limit", limit, 32));
      return listed.map(({ key, entry }) => ({ key, ...entry }));
    },

    deletePrefix(prefix) {
      return host().kv.deletePrefix(space, prefix);
    },
  };
}

const own = shared(undefined);
export const { entry, get, getText, set, swap, increment, list, deletePrefix } = own;
const { delete: remove } = own;
export { remove as delete };
