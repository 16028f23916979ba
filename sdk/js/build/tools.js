// The packages that the build uses, as `npm install` left them for the project or for the SDK.

import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { ToolError } from "./errors.js";

export const SDK = dirname(dirname(fileURLToPath(import.meta.url)));

/** The version is that of the interface. */
export const { version: VERSION, peerDependencies: WANTED } = JSON.parse(readFileSync(join(SDK, "package.json"), "utf8"));

/** Imports a package, from `node_modules` of the project or of a folder above it, of the SDK, or in $NODE_PATH. */
export async function tool(name, project) {
  const places = [...above(project), ...above(SDK), ...(process.env.NODE_PATH ?? "").split(delimiter).filter(Boolean)];
  const found = places.map((place) => join(place, name)).find((folder) => existsSync(join(folder, "package.json")));
  const remedy = "run `npm install` in the project's folder";
  if (!found) throw new ToolError(`${name} is missing: ${remedy}`);
  const { version, main, exports } = JSON.parse(readFileSync(join(found, "package.json"), "utf8"));
  if (version !== WANTED[name]) {
    throw new ToolError(`${found} is version ${version}, and ${WANTED[name]} is needed: ${remedy}`);
  }
  try {
    return await import(pathToFileURL(join(found, exports?.import ?? main)).href);
  } catch (error) {
    throw new ToolError(`${name} cannot be loaded: ${error.message}; ${remedy}`);
  }
}

function above(folder) {
  const found = [];
  for (let at = resolve(folder); ; at = dirname(at)) {
    found.push(join(at, "node_modules"));
    if (at === dirname(at)) return found;
  }
}
