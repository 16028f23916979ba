import { bytes } from "./answers.js";
import { host } from "./host.js";

const LEAST = -(2n ** 63n);

export function get(key) {
  return host().kvGet(key);
}

export function getText(key) {
  const value = get(key);
  return value && new TextDecoder().decode(value);
}

export function set(key, value, { ttl } = {}) {
  host().kvSet(key, bytes(value), seconds(ttl));
}

function remove(key) {
  host().kvDelete(key);
}
export { remove as delete };

export function increment(key, by = 1, { ttl } = {}) {
  const summand = BigInt(by);
  if (summand < LEAST || summand >= -LEAST) throw new RangeError(`by ${by}: a signed number of 64 bits is needed`);
  return host().kvIncrement(key, summand, seconds(ttl));
}

function seconds(ttl) {
  if (ttl !== undefined && !(Number.isInteger(ttl) && ttl >= 0 && ttl < 2 ** 32)) {
    throw new RangeError(`ttl ${ttl}: whole seconds of 32 bits are needed`);
  }
  return ttl;
}
