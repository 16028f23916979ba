// From a project to its component: one bundle of its modules, its own world, the engine, and the manifest.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { locate, place as origin } from "../src/wasm/stack.js";
import { corrected } from "./bindings.js";
import { bundled, callsOf, MAP, mapOf } from "./bundle.js";
import { BuildError, ProjectError, ToolError } from "./errors.js";
import { read } from "./project.js";
import { SDK, tool, VERSION } from "./tools.js";

/** What a component may export, by the functions of a plugin that it takes. */
const EXPORTS = {
  authorize: ["authorize"],
  resolve: ["resolve"],
  render: ["render"],
  "render-parts": ["begin", "part"],
  "accept-upload": ["acceptUpload"],
  observe: ["observe"],
};

/** The grants that modules of the SDK need. */
const GRANTS = {
  files: "files",
  history: "client-history",
  http: "http",
  kv: "kv",
  metrics: "metrics",
  sinks: "sinks",
  upload: "upload",
};

/** Builds the component of the project in a folder; returns its path. */
export async function build(folder, output) {
  const project = read(folder);
  const esbuild = await tool("esbuild", folder);
  const { componentize } = await tool("@bytecodealliance/componentize-js", folder);
  const exports = await exportsOf(esbuild, project);
  const scratch = mkdtempSync(join(tmpdir(), "tuffet-build-"));
  try {
    const wit = join(scratch, "wit");
    writeWorld(wit, exports, project.asked);
    const world = readFileSync(join(wit, "world.wit"), "utf8");
    checkVersion(world);
    const sourcePath = join(scratch, "plugin.js");
    const bundle = await bundled(esbuild, entry(project, exports, world));
    const map = mapOf(bundle, project.folder);
    locate(map);
    writeFileSync(sourcePath, bundle.code.replace(MAP, () => JSON.stringify(map)));
    const component = await run(componentize, sourcePath, wit, project.asked);
    return place(Buffer.concat([component, section(project.manifest)]), output ?? join(folder, `${project.name}.wasm`));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The exports of a component by the functions of its plugin, which uses no more of the SDK than the manifest asks for. */
export async function exportsOf(esbuild, { folder, plugin, asked }) {
  const path = resolve(folder, plugin);
  const { code, exports, uses } = await bundled(esbuild, `export * from ${JSON.stringify(path)};`);
  const missing = Object.keys(GRANTS).filter((name) => uses(`src/${name}.js`) && !asked.includes(GRANTS[name]));
  const wrong = missing.map((name) => {
    const remedy = `add "${GRANTS[name]}": "REASON" to tuffet.grants, or to tuffet.optional`;
    return `${path} uses \`${name}\` of the package tuffet, and package.json does not ask for the grant: ${remedy}`;
  });
  if (!asked.includes("http") && code.includes("fetch")) {
    for (const [file, line] of await callsOf(esbuild, `export * from ${JSON.stringify(path)};`, "fetch")) {
      const remedy = 'add "http": "REASON" to tuffet.grants, or to tuffet.optional';
      wrong.push(`${file}:${line}: \`fetch\` needs the grant http, and package.json does not ask for it: ${remedy}`);
    }
  }
  if (wrong.length > 0) throw new ProjectError(wrong.join("\n"));
  const has = (name) => exports.includes(name);
  if (has("begin") !== has("part")) {
    throw new ProjectError(`${path}: content in parts needs both functions, begin and part; another function needs another name`);
  }
  const found = Object.keys(EXPORTS).filter((name) => EXPORTS[name].every(has));
  if (found.length > 0) return found;
  throw new ProjectError(`${path} has no hook: it exports none of the functions ${Object.values(EXPORTS).flat().join(", ")}`);
}

/** The module that a component is made of. */
function entry({ folder, plugin, asked }, exports, world) {
  const variable = (name) => name.replace(/-./, ([, letter]) => letter.toUpperCase());
  const imports = [...world.matchAll(/import (tuffet:policy\/([^@]+)@[^;]+);/g)];
  // The plugin comes first: where two functions of a bundle have the same name, the later one gets another.
  const lines = [
    `import * as plugin from ${JSON.stringify(resolve(folder, plugin))};`,
    ...imports.map(([, id, name]) => `import * as ${variable(name)} from "${id}";`),
  ];
  const parts = imports.map(([, , name]) => variable(name));
  if (asked.includes("http")) {
    lines.push('import { send as http } from "./src/wasm/http.js";');
    parts.push("http");
  }
  lines.push(
    'import { connect } from "./src/host.js";',
    'import { server } from "./src/wasm/host.js";',
    'import { locate } from "./src/wasm/stack.js";',
    'import * as exports from "./src/wasm/exports.js";',
    `locate(${MAP});`,
    `connect(server({ ${parts.join(", ")} }));`,
    ...["lifecycle", ...exports].map(variable).map((name) => `export const ${name} = exports.${name}(plugin);`),
  );
  return lines.join("\n");
}

/** `tuffet` writes the world: what the plugin has and requests, and nothing else. */
function writeWorld(folder, exports, asked) {
  const tuffet = process.env.TUFFET || "tuffet";
  const words = [...exports.flatMap((name) => ["--hook", name]), ...asked.flatMap((grant) => ["--grant", grant])];
  const { status, error, stderr } = spawnSync(tuffet, ["plugin", "wit", ...words, folder], { encoding: "utf8" });
  if (error) throw new ToolError(`${tuffet} cannot be run: ${error.message}; put it on the PATH, or name it in TUFFET`);
  const Problem = status === 64 ? ProjectError : BuildError;
  if (status !== 0) throw new Problem(`${tuffet} plugin wit: ${stderr.trim()}`);
}

/** The types of an interface stay within a major version, and differ between two versions that are no release. */
function checkVersion(world) {
  const [, version] = /export tuffet:policy\/lifecycle@([^;]+);/.exec(world) ?? [];
  const major = (of) => (of?.includes("-") ? of : of?.split(".")[0]);
  if (major(version) === major(VERSION)) return;
  const remedy = "take the folder from a new project, `tuffet plugin new NAME --language js`";
  throw new ProjectError(`${SDK} is for version ${VERSION} of the interface, and this tuffet has ${version}: ${remedy}`);
}

async function run(componentize, sourcePath, witPath, asked) {
  try {
    // The engine would import what it needs for these features.
    const disableFeatures = ["fetch-event", ...(asked.includes("http") ? [] : ["http"])];
    const made = await corrected(() => componentize({ sourcePath, witPath, worldName: "plugin", disableFeatures }));
    return made.component;
  } catch (error) {
    const located = (text, line, column) => origin(line, column) ?? text;
    throw new BuildError(`componentize-js failed: ${error.message.replace(/plugin\.js:(\d+):(\d+)/g, located)}`);
  }
}

/** The custom section with the manifest, as docs/plugins-without-sdk.md describes it. */
function section(manifest) {
  const name = Buffer.from("tuffet:manifest");
  const body = Buffer.concat([Buffer.from([name.length]), name, Buffer.from(JSON.stringify(manifest))]);
  const length = [];
  for (let rest = body.length; ; rest >>>= 7) {
    if (rest < 0x80) return Buffer.concat([Buffer.from([0, ...length, rest]), body]);
    length.push((rest & 0x7f) | 0x80);
  }
}

/** Replaces a file atomically: a server may be reading the old one. */
function place(component, output) {
  const path = resolve(output);
  const temporary = `${path}.new`;
  try {
    writeFileSync(temporary, component);
    renameSync(temporary, path);
  } catch (error) {
    throw new BuildError(error.message);
  }
  return path;
}
