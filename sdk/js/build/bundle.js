// One module of all that a plugin is written in.

import { SourceMap } from "node:module";
import { join, relative, resolve } from "node:path";

import { BuildError } from "./errors.js";
import { SDK } from "./tools.js";

/** What stands in a bundle for its own map. */
export const MAP = '"MAP OF THE BUNDLE"';

/**
 * Bundles a module of this text: its code, its map, its exports, and whether it `uses` a file of the SDK. `define` gives
 * global names another text.
 */
export async function bundled(esbuild, contents, define = {}) {
  try {
    const { metafile, outputFiles } = await esbuild.build({
      stdin: { contents, resolveDir: SDK },
      absWorkingDir: SDK,
      outfile: "plugin.js",
      write: false,
      bundle: true,
      format: "esm",
      platform: "neutral",
      target: "es2022",
      mainFields: ["module", "main"],
      alias: { tuffet: join(SDK, "src/index.js") },
      external: ["tuffet:*", "wasi:*"],
      define,
      charset: "utf8",
      sourcemap: "external",
      sourcesContent: false,
      metafile: true,
      logLevel: "silent",
    });
    const { exports, inputs } = metafile.outputs["plugin.js"];
    const [map, code] = outputFiles.map(({ text }) => text);
    return { code, map: JSON.parse(map), exports, uses: (file) => inputs[file]?.bytesInOutput > 0 };
  } catch (error) {
    const { errors = [] } = error;
    const messages = await esbuild.formatMessages(errors, { kind: "error" });
    throw new BuildError(messages.join("\n").trim() || error.message);
  }
}

/** The calls of the global function `name` in a plugin and not in its packages: each a file, and a line from 1. */
export async function callsOf(esbuild, contents, name) {
  const mark = `__global_${name}`;
  const { code, map } = await bundled(esbuild, contents, { [name]: mark, [`globalThis.${name}`]: mark });
  const found = new SourceMap(map);
  const calls = [];
  for (const [line, text] of code.split("\n").entries()) {
    for (const { index } of text.matchAll(new RegExp(`${mark}\\(`, "g"))) {
      const { originalSource, originalLine } = found.findEntry(line, index);
      const path = resolve(SDK, originalSource ?? "");
      if (!path.split("/").includes("node_modules") && !path.startsWith(join(SDK, "src/"))) {
        calls.push([path, originalLine + 1]);
      }
    }
  }
  return calls;
}

/** The map of a bundle, as src/wasm/stack.js reads it. The sources of the plugin are relative to a folder. */
export function mapOf({ code, map }, folder) {
  const sources = [];
  const indices = new Map();
  for (const source of map.sources) {
    const path = resolve(SDK, source);
    const isOurs = source === "<stdin>" || path.startsWith(join(SDK, "src/"));
    indices.set(source, isOurs ? undefined : sources.push(relative(folder, path)) - 1);
  }
  const found = new SourceMap(map);
  const places = code.split("\n").map((text, line) => {
    const starts = [];
    let before = "";
    for (let column = 0; column < text.length; column++) {
      const { originalSource, originalLine } = found.findEntry(line, column);
      const source = indices.get(originalSource);
      const place = source === undefined ? "" : `,${source},${originalLine + 1}`;
      if (place !== before) starts.push(`${column}${place}`);
      before = place;
    }
    return starts.join(" ");
  });
  return { sources, places };
}
