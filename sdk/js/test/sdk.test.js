// The package itself, natively: node --test

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, test } from "node:test";

import { read } from "../build/project.js";
import * as tuffet from "../src/index.js";
import { parse, stringify } from "../src/json.js";
import * as testing from "../src/testing.js";
import * as exports from "../src/wasm/exports.js";
import { server } from "../src/wasm/host.js";

const { Acceptance, files, http, kv, log, pointer, Problem, Problems, Resolution, settings, sinks, Verdict } = tuffet;

beforeEach(testing.reset);

const GIVEN = {
  id: "1",
  listener: "default",
  operation: "read",
  mode: "octet",
  requested: "a",
  path: "a",
  client: { address: "192.0.2.1", port: 1, macs: [], class: "unknown" },
  options: [["tsize", "0"]],
  attributes: [],
};

test("settings have all their problems at once, each at its place", () => {
  const Settings = settings.object({
    root: settings.string(),
    limit: settings.integer().default(3),
    rules: settings.list(settings.object({ "do/it": settings.oneOf("a", "b") })).optional(),
  });
  assert.deepEqual(Settings.parse({ root: "boot" }), { root: "boot", limit: 3, rules: undefined });
  const wrong = (given) => {
    try {
      Settings.parse(given);
    } catch (error) {
      assert.ok(error instanceof Problems);
      return error.problems.map((problem) => `${problem.pointer}: ${problem.message}`);
    }
    assert.fail("no problems");
  };
  assert.deepEqual(wrong({ rot: 1, limit: 1.5, rules: [{ "do/it": "c" }, null] }), [
    "/rot: unknown key `rot`; did you mean `root`?",
    "/limit: 1.5 is not a whole number",
    '/rules/0/do~1it: "c" is none of a, b',
    "/rules/1: nothing is no map",
    ": the key `root` is missing",
  ]);
  assert.deepEqual(wrong([]), [": [] is no map"]);
  assert.equal(pointer("/rules", 0, "a~b/c"), "/rules/0/a~0b~1c");
});

test("whole numbers of 64 bits are written as their digits", () => {
  assert.equal(stringify({ a: [18446744073709551615n, undefined], b: undefined, c: "ü" }), '{"a":[18446744073709551615,null],"c":"ü"}');
  const circle = { big: 1n };
  circle.self = circle;
  assert.throws(() => stringify(circle), TypeError);
  assert.throws(() => stringify(undefined), TypeError);
  assert.deepEqual(parse('{"a":1.5,"b":"9223372036854775807"}'), { a: 1.5, b: "9223372036854775807" });
});

test("a hook without an answer fails", async () => {
  for (const answer of [undefined, null, "allow", Resolution.content("x")]) {
    const hook = exports.authorize({ authorize: () => answer });
    await assert.rejects(hook.authorize(GIVEN), /authorize must return a Verdict/);
  }
  await assert.rejects(exports.resolve({ resolve: () => Verdict.drop() }).resolve(GIVEN), TypeError);
});

test("answers take the form of the interface", async () => {
  const verdict = Verdict.allow({ blksize: 512, bytes: 7 });
  const authorize = exports.authorize({ authorize: ({ options }) => options.get("tsize") === "0" && verdict });
  const limits = { blksize: 512, windowsize: undefined, bytes: 7n };
  assert.deepEqual(await authorize.authorize(GIVEN), { tag: "allow", val: limits });
  const upload = exports.acceptUpload({ acceptUpload: (_, { bytes }) => Acceptance.rename(`${bytes}`) });
  const renamed = await upload.acceptUpload(GIVEN, { root: "r", path: "p", bytes: 5n, sha256: "" });
  assert.deepEqual(renamed, { tag: "rename", val: "5" });
  assert.throws(() => Verdict.allow({ blksize: 65536 }), RangeError);
  assert.throws(() => Verdict.deny("x", { code: "nonsense" }), RangeError);
  assert.throws(() => Resolution.content(5), TypeError);
});

test("problems become the error of the interface, other exceptions stay", async () => {
  const thrown = async (plugin, text) => {
    try {
      await exports.lifecycle(plugin).configure(text);
    } catch (error) {
      return error;
    }
  };
  const fail = (error) => ({ configure: () => { throw error; } });
  assert.deepEqual(await thrown(fail(new Problem("/a", "b")), "{}"), [{ pointer: "/a", message: "b" }]);
  assert.ok((await thrown(fail(new RangeError("x")), "{}")) instanceof RangeError);
  assert.deepEqual(await thrown({}, '{"a":1}'), [{ pointer: "/a", message: "this plugin has no settings" }]);
  assert.equal(await thrown({}, "{}"), undefined);
});

test("events have numbers and times", async () => {
  let seen;
  const observe = exports.observe({ observe: (events) => { seen = events; } });
  const val = { id: "1", bytes: 7n, size: undefined };
  await observe.observe([{ unixMs: 1000n, what: { tag: "progressed", val } }]);
  assert.deepEqual(seen, [{ kind: "progressed", time: new Date(1000), id: "1", bytes: 7, size: undefined }]);
});

test("errors of the interface are those of the package", () => {
  const failing = (payload) => () => { throw Object.assign(new Error("x"), { payload }); };
  const host = server({ log: {}, files: { read: failing({ tag: "too-large", val: 9n }) }, sinks: { emit: failing({ tag: "full" }) } });
  assert.throws(() => host.read("r", "p", 1), (error) => error instanceof tuffet.TooLarge && error.bytes === 9);
  assert.throws(() => host.emit("s", "1"), tuffet.Full);
  assert.throws(() => host.kvGet("k"), /does not request the grant kv/);
});

test("the stand-ins answer as the server does", () => {
  kv.set("text", "größe");
  assert.equal(kv.getText("text"), "größe");
  assert.throws(() => kv.increment("text"), tuffet.Invalid);
  assert.equal(kv.increment("n", 2n ** 63n - 1n), 2n ** 63n - 1n);
  assert.equal(kv.increment("n"), 2n ** 63n - 1n);
  kv.delete("n");
  assert.equal(kv.get("n"), undefined);
  assert.throws(() => kv.set("a", "b", { ttl: -1 }), RangeError);
  testing.putFile("boot", "a", "\ufeffab");
  assert.equal(files.readText("boot", "a"), "ab");
  assert.equal(files.stat("boot", "a").bytes, 5);
  assert.throws(() => files.read("boot", "a", { limit: 4 }), tuffet.TooLarge);
  sinks.emit("out", { a: 1n });
  assert.deepEqual(testing.takeEmitted("out"), [{ a: 1 }]);
  log.warn("m", { a: 1 });
  assert.deepEqual(testing.takeLogged(), [{ level: "warn", message: "m", fields: { a: "1" } }]);
  testing.putResponse("http://a/b?c", new http.Response(200, "x".repeat(9), [["X-A", "b"]]));
  assert.equal(http.get("http://a/b?c").header("x-a"), "b");
  assert.throws(() => http.get("http://a/b?c", { limit: 8 }), tuffet.TooLarge);
  assert.throws(() => http.get("http://a/other"), tuffet.Denied);
  for (const url of ["ftp://a/", "http://", "a", "http://a b/"]) assert.throws(() => http.get(url), tuffet.Invalid);
});

test("a project has its mistakes named", () => {
  const folder = mkdtempSync(join(tmpdir(), "tuffet-test-"));
  try {
    const project = (text) => {
      writeFileSync(join(folder, "package.json"), text);
      return read(folder);
    };
    assert.throws(() => read(folder), /is not there. It looks like this/);
    assert.throws(() => project("{"), /package.json: /);
    assert.throws(() => project("{}"), /has no object `tuffet`/);
    const wrong = { name: "a/b", tuffet: { plugin: 1, grants: { tape: "x", kv: " " }, events: [], extra: 1 } };
    for (const message of [
      /there is no grant tape/,
      /kv needs a reason/,
      /events must be a list/,
      /unknown key `extra`/,
      /`plugin` in tuffet must be a text/,
      /`name` is "a\/b"/,
    ]) {
      assert.throws(() => project(JSON.stringify(wrong)), message);
    }
    const good = project('{"name":"@me/a","tuffet":{"plugin":"p.js","optional":{"kv":"counts"},"reuse":true}}');
    assert.equal(good.name, "a");
    assert.deepEqual(good.manifest.grants, [{ grant: "kv", reason: "counts", optional: true }]);
    assert.equal(good.manifest.reuse, true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
