import { host } from "./host.js";
import { pairs } from "./values.js";

const line = (level) => (message, fields = {}) => host().log.log(level, String(message), pairs(fields));

export const trace = line("trace");
export const debug = line("debug");
export const info = line("info");
export const warn = line("warn");
export const error = line("error");
