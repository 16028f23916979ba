import { host } from "./host.js";
import { pairs, whole } from "./values.js";

export function add(name, by = 1, labels = {}) {
  host().metrics.add(name, whole("by", by, 64), pairs(labels));
}

export function set(name, value, labels = {}) {
  host().metrics.set(name, Number(value), pairs(labels));
}
