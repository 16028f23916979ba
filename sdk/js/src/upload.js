import { host } from "./host.js";
import { whole } from "./values.js";

export function read(offset, length) {
  return host().uploadContent.read(whole("offset", offset ?? NaN, 64), whole("length", length ?? NaN, 32));
}
