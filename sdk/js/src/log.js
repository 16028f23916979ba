import { host } from "./host.js";

const line = (level) => (message, fields = {}) =>
  host().log(
    level,
    String(message),
    Object.entries(fields).map(([name, value]) => [name, String(value)]),
  );

export const trace = line("trace");
export const debug = line("debug");
export const info = line("info");
export const warn = line("warn");
export const error = line("error");
