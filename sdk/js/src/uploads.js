import { host } from "./host.js";

export function read(offset, length) {
  for (const [name, value, most] of [["offset", offset, Number.MAX_SAFE_INTEGER], ["length", length, 4294967295]]) {
    if (!Number.isInteger(value) || value < 0 || value > most) {
      throw new RangeError(`${name} ${value}: a whole number from 0 to ${most} is needed`);
    }
  }
  return host().uploadRead(offset, length);
}
