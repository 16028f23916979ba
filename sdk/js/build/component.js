// From a project to its component: one bundle of its modules, its own world, the engine, and the manifest.

import { spawnSync } from "node:child_process";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { corrected } from "./bindings.js";
import { BuildError, ProjectError, ToolError } from "./errors.js";
import { read } from "./project.js";
import { SDK, tool } from "./tools.js";

/** The hooks, by the names of the functions of a plugin. */
const HOOKS = { authorize: "authorize", resolve: "resolve", acceptUpload: "accept-upload", observe: "observe" };

/** The functions of a plugin that makes content in parts, which belong to the hook `resolve`. */
const PARTS = ["begin", "part"];

/** Interfaces that the plugin calls, by the grant that they need. */
const INTERFACES = {
  kv: ["kv", "shared-kv"],
  files: ["files"],
  sinks: ["sinks"],
  metrics: ["metrics"],
  upload: ["upload-content"],
  "client-history": ["history"],
};

/** The version of the interface that this SDK was written for. */
const VERSION = "0.2.0";

/** Builds the component of the project in a folder; returns its path. */
export async function build(folder, output) {
  const project = read(folder);
  const esbuild = await tool("esbuild", folder);
  const { componentize } = await tool("@bytecodealliance/componentize-js", folder);
  const hooks = await hooksOf(esbuild, project);
  const scratch = mkdtempSync(join(tmpdir(), "tuffet-build-"));
  try {
    const wit = join(scratch, "wit");
    writeWorld(wit, hooks, project.asked);
    const bundle = join(scratch, "plugin.js");
    await bundled(esbuild, { contents: entry(project, hooks), resolveDir: SDK }, { outfile: bundle, write: true });
    const component = await run(componentize, bundle, wit, project.asked);
    return place(Buffer.concat([component, section(project.manifest)]), output ?? join(folder, `${project.name}.wasm`));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The hooks that the module of a plugin exports, and `renderParts`. */
async function hooksOf(esbuild, project) {
  const path = resolve(project.folder, project.plugin);
  const contents = `export * from ${JSON.stringify(path)};`;
  const { metafile } = await bundled(esbuild, { contents, resolveDir: SDK }, { outfile: "plugin.js", write: false });
  const { exports } = Object.values(metafile.outputs)[0];
  const hooks = Object.keys(HOOKS).filter((hook) => exports.includes(hook));
  const parts = PARTS.filter((name) => exports.includes(name));
  if (parts.length > 0) {
    const missing = ["resolve", ...PARTS].filter((name) => !exports.includes(name));
    if (missing.length === 0) return [...hooks, "renderParts"];
    const problem = `exports ${parts[0]}, and no ${missing.join(" and no ")}`;
    throw new ProjectError(`${path} ${problem}: content in parts needs resolve, begin and part; another function needs another name`);
  }
  if (hooks.length > 0) return hooks;
  throw new ProjectError(`${path} has no hook: it exports none of the functions ${Object.keys(HOOKS).join(", ")}`);
}

async function bundled(esbuild, stdin, more) {
  try {
    return await esbuild.build({
      stdin,
      bundle: true,
      format: "esm",
      platform: "neutral",
      target: "es2022",
      mainFields: ["module", "main"],
      alias: { tuffet: join(SDK, "src/index.js") },
      external: ["tuffet:*", "wasi:*"],
      charset: "utf8",
      metafile: true,
      logLevel: "silent",
      ...more,
    });
  } catch (error) {
    const { errors = [] } = error;
    const messages = await esbuild.formatMessages(errors, { kind: "error" });
    throw new BuildError(messages.join("\n").trim() || error.message);
  }
}

/** The module that a component is made of. */
function entry({ folder, plugin, asked }, hooks) {
  const granted = Object.keys(INTERFACES).filter((grant) => asked.includes(grant));
  const imports = ["log", ...granted.flatMap((grant) => INTERFACES[grant])];
  const variable = (name) => name.replace(/-./, ([, letter]) => letter.toUpperCase());
  const lines = imports.map((name) => `import * as ${variable(name)} from "tuffet:policy/${name}@${VERSION}";`);
  const parts = imports.map(variable);
  if (asked.includes("http")) {
    lines.push('import { send as http } from "./src/wasm/http.js";');
    parts.push("http");
  }
  lines.push(
    'import { connect } from "./src/host.js";',
    'import { server } from "./src/wasm/host.js";',
    'import * as exports from "./src/wasm/exports.js";',
    `import * as plugin from ${JSON.stringify(resolve(folder, plugin))};`,
    `connect(server({ ${parts.join(", ")} }));`,
    ...["lifecycle", ...hooks].map((name) => `export const ${name} = exports.${name}(plugin);`),
  );
  return lines.join("\n");
}

/** `tuffet` writes the world: what the plugin has and requests, and nothing else. */
function writeWorld(folder, hooks, asked) {
  const tuffet = process.env.TUFFET || "tuffet";
  const words = [...hooks.flatMap((hook) => ["--hook", HOOKS[hook] ?? "render-parts"]), ...asked.flatMap((grant) => ["--grant", grant])];
  const { status, error, stderr } = spawnSync(tuffet, ["plugin", "wit", "--version", VERSION, ...words, folder], { encoding: "utf8" });
  if (error) throw new ToolError(`${tuffet} cannot be run: ${error.message}; put it on the PATH, or name it in TUFFET`);
  if (status !== 0) throw new BuildError(`${tuffet} plugin wit: ${stderr.trim()}`);
}

async function run(componentize, sourcePath, witPath, asked) {
  try {
    // The engine would import what it needs for these features.
    const disableFeatures = ["fetch-event", ...(asked.includes("http") ? [] : ["http"])];
    const made = await corrected(() => componentize({ sourcePath, witPath, worldName: "plugin", disableFeatures }));
    return made.component;
  } catch (error) {
    throw new BuildError(`componentize-js failed: ${error.message}`);
  }
}

/** The custom section with the manifest, as docs/plugins.md describes it. */
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
