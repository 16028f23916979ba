import { bytes } from "./answers.js";
import { host } from "./host.js";

const LEAST = -(2n ** 63n);

/** A namespace that plugins share; `undefined` is the name of the plugin's own. */
export class Shared {
  #name;

  constructor(name) {
    this.#name = name;
  }

  get(key) {
    return this.entry(key)?.value;
  }

  getText(key) {
    const value = this.get(key);
    return value && new TextDecoder().decode(value);
  }

  entry(key) {
    return host().kvGet(this.#name, key);
  }

  set(key, value, { ttl } = {}) {
    host().kvSet(this.#name, key, bytes(value), seconds(ttl));
  }

  swap(key, revision, value, { ttl } = {}) {
    if (revision !== undefined && !(typeof revision === "bigint" && revision >= 0n && revision < 2n ** 64n)) {
      throw new RangeError(`revision ${revision}: that of an entry, or undefined, is needed`);
    }
    return host().kvSwap(this.#name, key, revision, bytes(value), seconds(ttl));
  }

  delete(key) {
    host().kvDelete(this.#name, key);
  }

  increment(key, by = 1, { ttl } = {}) {
    const summand = BigInt(by);
    if (summand < LEAST || summand >= -LEAST) throw new RangeError(`by ${by}: a signed number of 64 bits is needed`);
    return host().kvIncrement(this.#name, key, summand, seconds(ttl));
  }

  list(prefix = "", { after, limit = 1000 } = {}) {
    if (!Number.isInteger(limit) || limit < 0 || limit >= 2 ** 32) {
      throw new RangeError(`limit ${limit}: a whole number of 32 bits is needed`);
    }
    return host().kvList(this.#name, prefix, after, limit);
  }
}

const own = new Shared(undefined);

export const get = (key) => own.get(key);
export const getText = (key) => own.getText(key);
export const entry = (key) => own.entry(key);
export const set = (key, value, options) => own.set(key, value, options);
export const swap = (key, revision, value, options) => own.swap(key, revision, value, options);
const remove = (key) => own.delete(key);
export { remove as delete };
export const increment = (key, by, options) => own.increment(key, by, options);
export const list = (prefix, options) => own.list(prefix, options);

function seconds(ttl) {
  if (ttl !== undefined && !(Number.isInteger(ttl) && ttl >= 0 && ttl < 2 ** 32)) {
    throw new RangeError(`ttl ${ttl}: whole seconds of 32 bits are needed`);
  }
  return ttl;
}
