#!/usr/bin/env node
// tuffet-build [PROJECT] [-o FILE]: builds a plugin. Exit code 0; with the reason on standard error 64 for the
// project, 69 if a tool is missing, 1 if the build failed.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { build } from "./component.js";
import { BuildError } from "./errors.js";

const { values, positionals } = parseArgs({
  options: { output: { type: "string", short: "o" } },
  allowPositionals: true,
});
try {
  const path = await build(positionals[0] ?? ".", values.output);
  const component = readFileSync(path);
  const digest = createHash("sha256").update(component).digest("hex");
  console.log(`${path}: ${component.length} bytes, sha256 ${digest}`);
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  console.error(`tuffet-build: ${error.message}`);
  process.exitCode = error.code;
}
