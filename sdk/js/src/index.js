// Write policy plugins for Tuffet in JavaScript and TypeScript: index.d.ts has the documentation.

export { Acceptance, Beginning, Candidate, oneLine, Part, Rendering, Resolution, Verdict } from "./answers.js";
export { HostError, Problem, Problems } from "./errors.js";
export * as files from "./files.js";
export * as history from "./history.js";
export * as http from "./http.js";
export { label } from "./label.js";
export * as kv from "./kv.js";
export * as log from "./log.js";
export * as metrics from "./metrics.js";
export { pointer, settings } from "./settings.js";
export * as sinks from "./sinks.js";
export * as upload from "./upload.js";
