import { host } from "./host.js";
import { stringify } from "./json.js";

export function emit(sink, value) {
  emitLine(sink, stringify(value));
}

export function emitLine(sink, payload) {
  host().sinks.emit(sink, payload);
}
