// The description of a project in its package.json.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { ProjectError } from "./errors.js";

const GRANTS = [
  "client-history",
  "client-mac",
  "clock",
  "files",
  "http",
  "kv",
  "metrics",
  "random",
  "sinks",
  "upload",
];
const EVENTS = ["started", "progressed", "finished"];
const KEYS = ["plugin", "events", "empty-batches", "facts", "depends-on", "needs", "reuse", "grants", "optional"];

const FORM = `{
  "name": "firmware",
  "version": "1.0.0",
  "description": "Pins the version of a firmware",
  "type": "module",
  "tuffet": {
    "plugin": "firmware.js",
    "grants": { "files": "reads the list of versions" },
    "optional": { "client-mac": "tells machines apart" }
  }
}
`;

/** Reads a project. A ProjectError has all that is wrong. */
export function read(folder) {
  const file = join(folder, "package.json");
  const document = parsed(file);
  const wrong = [];
  const text = (within, key, name, needed) => {
    const found = within[key];
    if (found === undefined && !needed) return "";
    if (typeof found === "string" && found.trim() !== "") return found;
    wrong.push(`\`${key}\` in ${name} must be a text`);
    return "";
  };
  const wishes = (key) => {
    const found = tuffet[key] ?? {};
    if (!isMap(found)) {
      wrong.push(`tuffet.${key} is no object`);
      return {};
    }
    for (const [grant, reason] of Object.entries(found)) {
      if (!GRANTS.includes(grant)) {
        wrong.push(`tuffet.${key}: there is no grant ${grant}: there are ${GRANTS.join(", ")}`);
      } else if (typeof reason !== "string" || reason.trim() === "") {
        wrong.push(`tuffet.${key}: ${grant} needs a reason, which the operator reads`);
      }
    }
    return found;
  };

  const { tuffet } = document;
  if (!isMap(tuffet)) {
    throw new ProjectError(`${file} has no object \`tuffet\`. It looks like this:\n\n${FORM}`);
  }
  for (const key of Object.keys(tuffet).filter((key) => !KEYS.includes(key))) {
    wrong.push(`unknown key \`${key}\` in tuffet; known here: ${KEYS.join(", ")}`);
  }
  const { events } = tuffet;
  const isSubset = Array.isArray(events) && events.length > 0 && events.every((event) => EVENTS.includes(event));
  if (events !== undefined && !isSubset) {
    wrong.push(`tuffet.events must be a list of ${EVENTS.join(", ")}; leave it out for all`);
  }
  const [grants, optional] = [wishes("grants"), wishes("optional")];
  for (const grant of Object.keys(grants).filter((grant) => Object.hasOwn(optional, grant))) {
    wrong.push(`the grant ${grant} is both needed and optional`);
  }
  for (const key of ["empty-batches", "reuse"]) {
    if (typeof (tuffet[key] ?? false) !== "boolean") wrong.push(`tuffet.${key} must be true or false`);
  }
  // The server knows which facts and attributes there are.
  for (const key of ["facts", "depends-on", "needs"]) {
    const facts = tuffet[key] ?? [];
    if (!Array.isArray(facts) || facts.some((fact) => typeof fact !== "string")) {
      wrong.push(`tuffet.${key} must be a list of texts`);
    }
  }
  const name = text(document, "name", "package.json", true);
  const project = {
    folder,
    name: name.replace(/^@[^/]*\//, ""),
    plugin: text(tuffet, "plugin", "tuffet", true),
    asked: [...Object.keys(grants), ...Object.keys(optional)],
    manifest: {
      name,
      version: text(document, "version", "package.json", false),
      description: text(document, "description", "package.json", false),
      // An object is an older form, which names no licence.
      ...(typeof document.license === "string" && { license: document.license }),
      ...(typeof document.homepage === "string" && { homepage: document.homepage }),
      grants: [
        ...Object.entries(grants).map(([grant, reason]) => ({ grant, reason })),
        ...Object.entries(optional).map(([grant, reason]) => ({ grant, reason, optional: true })),
      ],
      ...(tuffet["empty-batches"] && { "empty-batches": true }),
      ...(tuffet.reuse && { reuse: true }),
      ...(events && { events }),
      ...(tuffet.facts && { facts: tuffet.facts }),
      ...(tuffet["depends-on"] && { "depends-on": tuffet["depends-on"] }),
      ...(tuffet.needs && { needs: tuffet.needs }),
    },
  };
  // It becomes a file name.
  if (name && !/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(project.name)) {
    wrong.push(`\`name\` is ${JSON.stringify(name)}: letters, digits, and hyphens are allowed`);
  }
  if (wrong.length > 0) throw new ProjectError(wrong.map((each) => `${file}: ${each}`).join("\n"));
  return project;
}

function parsed(file) {
  try {
    const document = JSON.parse(readFileSync(file, "utf8"));
    if (isMap(document)) return document;
  } catch (error) {
    if (error.code === "ENOENT") throw new ProjectError(`${file} is not there. It looks like this:\n\n${FORM}`);
    throw new ProjectError(`${file}: ${error.message}`);
  }
  throw new ProjectError(`${file} is no JSON object`);
}

const isMap = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
