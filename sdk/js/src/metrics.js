import { host } from "./host.js";

export function add(name, by = 1, labels = {}) {
  const summand = BigInt(by);
  if (summand < 0n || summand >= 2n ** 64n) throw new RangeError(`by ${by}: a number of 64 bits is needed`);
  host().metricsAdd(name, pairs(labels), summand);
}

export function set(name, value, labels = {}) {
  host().metricsSet(name, pairs(labels), Number(value));
}

const pairs = (labels) => Object.entries(labels).map(([label, value]) => [label, String(value)]);
