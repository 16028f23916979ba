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

const { Acceptance, Beginning, files, history, http, kv, log, metrics, oneLine, pointer, Problem, Problems } = tuffet;
const { Part, Rendering, Resolution, settings, sinks, uploads, Verdict } = tuffet;

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
  const none = { blksize: undefined, windowsize: undefined, timeout: undefined };
  assert.deepEqual(await authorize.authorize(GIVEN), {
    tag: "allow",
    val: {
      ...none,
      blksize: 512,
      bytes: 7n,
      floors: none,
      overrides: none,
      burst: undefined,
      rate: undefined,
      refuseOptions: [],
    },
  });
  const upload = exports.acceptUpload({ acceptUpload: (_, { bytes }) => Acceptance.rename(`${bytes}`) });
  const renamed = await upload.acceptUpload(GIVEN, { root: "r", path: "p", bytes: 5n, sha256: "" });
  assert.deepEqual(renamed, { tag: "rename", val: "5" });
  const wrong = [{ blksize: 65536 }, { timeout: 256 }, { burst: 65536 }, { rate: -1 }, { floors: { timeout: 256 } }];
  for (const profile of wrong) assert.throws(() => Verdict.allow(profile), RangeError);
  assert.throws(() => Verdict.deny("x", { code: "nonsense" }), RangeError);
  assert.throws(() => Resolution.content(5), TypeError);
});

test("renderings take the form of the interface", async () => {
  const hook = (answer) => exports.resolve({ resolve: () => answer, render: () => answer });
  const resolved = async (answer) => hook(answer).resolve(GIVEN);
  assert.deepEqual(await resolved(Resolution.rendered("k")), { tag: "rendered", val: "k" });
  const next = Resolution.filesElseNext({ root: "r", path: "p" });
  assert.deepEqual(await resolved(next), { tag: "files-else-next", val: [{ root: "r", path: "p" }] });
  const bytes = new Uint8Array([97]);
  assert.deepEqual(await resolved(Resolution.content("a", { name: "n" })), { tag: "content", val: { name: "n", bytes } });
  const rendered = await hook(Rendering.content("a", { name: "n", ttl: 9 })).render("k");
  assert.deepEqual(rendered, { content: { name: "n", bytes }, ttlSeconds: 9 });
  const denial = { code: "not-defined", message: "no", reason: "why" };
  const deny = Rendering.deny("no", { code: "not-defined", reason: "why" });
  await assert.rejects(hook(deny).render("k"), (thrown) => assert.deepEqual(thrown, denial) ?? true);
  await assert.rejects(hook(Resolution.abstain()).render("k"), /render must return a Rendering/);
  await assert.rejects(exports.resolve({}).render("k"), ({ code, reason }) => code === "not-defined" && /"k"/.test(reason));
  assert.throws(() => Rendering.content("a", { ttl: -1 }), RangeError);
});

test("content in parts takes the form of the interface", async () => {
  const begin = (answer) => exports.renderParts({ begin: async () => answer }).begin("k");
  const options = { name: "n", ttl: 9 };
  assert.deepEqual(await begin(Beginning.parts(5, options)), { name: "n", size: 5n, ttlSeconds: 9 });
  assert.deepEqual(await begin(Beginning.parts(2n ** 40n)), { name: undefined, size: 2n ** 40n, ttlSeconds: undefined });
  assert.equal(await begin(Beginning.whole()), undefined);
  const denial = { code: "not-defined", message: "no", reason: "why" };
  const deny = Beginning.deny("no", { code: "not-defined", reason: "why" });
  await assert.rejects(begin(deny), (thrown) => assert.deepEqual(thrown, denial) ?? true);
  await assert.rejects(begin(Rendering.content("a")), /begin must return a Beginning/);
  const part = (make) => exports.renderParts({ part: make }).part("k", 3n, 2);
  const bytes = new Uint8Array([97]);
  const asked = [];
  assert.equal(await part((...given) => asked.push(given) && Part.bytes(bytes)), bytes);
  assert.deepEqual(asked, [["k", 3, 2]]);
  await assert.rejects(part(() => deny), (thrown) => assert.deepEqual(thrown, denial) ?? true);
  await assert.rejects(part(() => bytes), /part must return a Part/);
  assert.throws(() => Part.bytes("text"), TypeError);
  for (const size of [undefined, -1, 1.5, 2n ** 64n]) assert.throws(() => Beginning.parts(size), RangeError);
  assert.throws(() => Beginning.parts(1, { ttl: -1 }), RangeError);
});

test("names of content are one line", () => {
  assert.equal(oneLine("a\nb\u0085"), "a b ");
  assert.equal(oneLine("ä".repeat(150)), "ä".repeat(100));
  assert.equal(oneLine(`a${"ä".repeat(150)}`), `a${"ä".repeat(99)}`);
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

test("keys have revisions, pages and shared namespaces", () => {
  const first = kv.swap("a", undefined, "one");
  assert.deepEqual(kv.entry("a"), { value: new TextEncoder().encode("one"), revision: first });
  assert.equal(kv.swap("a", undefined, "two"), undefined);
  assert.ok(kv.swap("a", first, "two") > first);
  assert.equal(kv.swap("a", first, "three"), undefined);
  assert.throws(() => kv.swap("a", 1, "x"), RangeError);
  const leases = new kv.Shared("leases");
  assert.equal(leases.getText("a"), undefined);
  for (const key of ["h/b", "h/a", "other", "h/\u{10000}", "h/\uffff"]) leases.set(key, "");
  assert.deepEqual(leases.list("h/", { limit: 2 }), ["h/a", "h/b"]);
  assert.deepEqual(leases.list("h/", { after: "h/b" }), ["h/\uffff", "h/\u{10000}"]);
  assert.deepEqual([leases.list().length, kv.list()], [5, ["a"]]);
  assert.equal(leases.increment("n", 2), 2n);
  leases.delete("n");
  assert.equal(leases.entry("n"), undefined);
});

test("metrics, uploads, history and full sinks have stand-ins", async () => {
  metrics.add("hits", 1, { a: "x", b: "y" });
  metrics.add("hits", 2n, { b: "y", a: "x" });
  metrics.set("size", 1.5);
  assert.deepEqual([testing.metric("hits", { a: "x", b: "y" }), testing.metric("size"), testing.metric("hits")], [3, 1.5, undefined]);
  assert.throws(() => metrics.add("hits", -1), RangeError);
  assert.throws(() => uploads.read(0, 1), tuffet.Denied);
  await testing.upload("a", "content");
  assert.deepEqual([uploads.read(3, 2), uploads.read(9, 1)], [new TextEncoder().encode("te"), new Uint8Array()]);
  assert.throws(() => uploads.read(-1, 1), RangeError);
  assert.deepEqual(history.recent(), []);
  const past = { operation: "read", path: "a", outcome: "timed-out", endedMsAgo: 5 };
  testing.putHistory(past);
  assert.deepEqual(history.recent(), [past]);
  testing.fill("out");
  assert.throws(() => sinks.emit("out", 1), tuffet.Full);
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
    const wrong = { name: "a/b", tuffet: { plugin: 1, grants: { tape: "x", kv: " " }, events: [], facts: [1], extra: 1 } };
    for (const message of [
      /there is no grant tape/,
      /kv needs a reason/,
      /events must be a list/,
      /facts must be a list of texts/,
      /unknown key `extra`/,
      /`plugin` in tuffet must be a text/,
      /`name` is "a\/b"/,
    ]) {
      assert.throws(() => project(JSON.stringify(wrong)), message);
    }
    const good = project('{"name":"@me/a","tuffet":{"plugin":"p.js","optional":{"kv":"counts"},"reuse":true,"facts":["interface"],"depends-on":["interface"]}}');
    assert.equal(good.name, "a");
    assert.deepEqual(good.manifest.grants, [{ grant: "kv", reason: "counts", optional: true }]);
    assert.equal(good.manifest.reuse, true);
    assert.deepEqual([good.manifest.facts, good.manifest["depends-on"]], [["interface"], ["interface"]]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
