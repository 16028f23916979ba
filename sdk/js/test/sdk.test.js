// The package itself, natively: node --test

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";

import { mapOf } from "../build/bundle.js";
import { exportsOf } from "../build/component.js";
import { read } from "../build/project.js";
import { VERSION } from "../build/tools.js";
import * as given from "../src/given.js";
import * as tuffet from "../src/index.js";
import { parse, stringify } from "../src/json.js";
import * as testing from "../src/testing.js";
import * as exports from "../src/wasm/exports.js";
import { server } from "../src/wasm/host.js";
import { explained, locate } from "../src/wasm/stack.js";

const { Acceptance, Beginning, Candidate, files, history, HostError, http, kv, log, metrics } = tuffet;
const { label, oneLine, Part, pointer, Problem, Problems, Rendering, Resolution, settings, sinks, upload, Verdict } = tuffet;

const { takeLabel } = testing;
beforeEach(testing.reset);

const GIVEN = {
  id: "1",
  listener: "default",
  operation: "read",
  mode: "octet",
  requested: "a",
  path: "a",
  client: { address: "192.0.2.1", port: 1, macs: undefined, lease: undefined, class: "unknown" },
  arrival: undefined,
  options: [["tsize", "0"]],
  unixMs: 7n,
  labels: [{ plugin: "classify", text: "canary" }],
  attributes: [["raw-name", "61"]],
};

const failed = (code) => (error) => error instanceof HostError && error.code === code;

/** What a failed hook prints. */
const printed = (text) => (thrown) => thrown.toSource().startsWith(text);

/** What a hook answers that cannot. */
const failure = (text) => ({ payload }) => payload.startsWith(text);

/** What a failed `configure` prints. */
const broken = (text) => (thrown) => assert.throws(() => thrown.payload, printed(text)) ?? true;

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

test("a request has what the interface gives", () => {
  const lease = { mac: undefined, hostname: "phone", expires: 60n, age: 3n };
  const macs = {
    network: [{ address: "02:00:5e:10:00:01", source: "neighbour-table" }],
    claimed: [{ address: "02:00:5e:10:00:02", source: "requested-name" }],
  };
  const request = new given.Request({ ...GIVEN, client: { ...GIVEN.client, lease, macs } });
  assert.deepEqual([request.option("TSIZE"), request.option("blksize"), request.attribute("raw-name")], ["0", undefined, "61"]);
  const { client } = request;
  assert.deepEqual([client.lease.hostname, client.lease.expires, client.lease.age], ["phone", new Date(60_000), 3]);
  assert.deepEqual([client.networkMacs(), client.claimedMacs()], [macs.network, macs.claimed]);
  assert.deepEqual(client.anyMacs(), [...macs.network, ...macs.claimed]);
  for (const text of ["02:00:5e:10:00:01", "02-00-5E-10-00-01", "0200.5e10.0001", "02005E100001"]) assert.ok(client.hasMac(text));
  for (const text of ["02:00:5e:10:00:02", "02:00:5e:10:00", "", "x"]) assert.ok(!client.hasMac(text));
  const forgotten = new given.Request(GIVEN).client;
  assert.deepEqual(forgotten.anyMacs(), []);
  for (const ask of [() => forgotten.hasMac("02:00:5e:10:00:01"), () => forgotten.networkMacs(), () => forgotten.claimedMacs()]) {
    assert.throws(ask, (error) => !(error instanceof HostError) && /the grant client-mac/.test(error));
  }
});

test("a hook without an answer fails", async () => {
  for (const answer of [undefined, null, "allow", Resolution.content("x")]) {
    const hook = exports.authorize({ authorize: () => answer });
    await assert.rejects(hook.authorize(GIVEN), failure("TypeError: a Verdict is needed, not "));
  }
  const hook = exports.resolve({ resolve: () => Resolution.serve([Verdict.abstain()]) });
  await assert.rejects(hook.resolve(GIVEN), failure("TypeError: a Candidate is needed, not abstain"));
});

test("what a hook throws is a failure with its message, and a label goes with an answer", async () => {
  const fails = exports.resolve({ resolve: () => { throw new Error("the inventory is away"); } });
  await assert.rejects(fails.resolve(GIVEN), failure("the inventory is away"));
  const labels = ({ path }) => tuffet.label(path) ?? Verdict.abstain();
  assert.equal((await exports.authorize({ authorize: labels }).authorize(GIVEN)).label, "a");
  assert.equal((await exports.authorize({ authorize: () => Verdict.abstain() }).authorize(GIVEN)).label, undefined);
});

test("verdicts take the form of the interface", async () => {
  const verdict = async (answer) => (await exports.authorize({ authorize: () => answer }).authorize(GIVEN)).verdict;
  const none = { blksize: undefined, windowsize: undefined, timeout: undefined };
  const profile = {
    ceilings: none,
    floors: none,
    overrides: none,
    maxSize: undefined,
    burst: undefined,
    rate: undefined,
    refuseOptions: [],
    attributes: [],
  };
  assert.deepEqual(await verdict(Verdict.allow()), { tag: "allow", val: profile });
  const all = {
    ceilings: { blksize: 1, windowsize: 2, timeout: 3 },
    floors: { blksize: 0, windowsize: 65535, timeout: 255 },
    overrides: { blksize: 4, windowsize: 5, timeout: 6 },
    maxSize: 2n ** 64n - 1n,
    burst: 7,
    rate: 8n,
    refuseOptions: ["tsize"],
  };
  const allow = Verdict.allow({ ...all, rate: 8, attributes: { a: "b" } });
  assert.deepEqual(await verdict(allow), { tag: "allow", val: { ...all, attributes: [["a", "b"]] } });
  assert.deepEqual(await verdict(Verdict.drop("away")), { tag: "drop", val: "away" });
  assert.equal((await verdict(Verdict.abstain())).tag, "abstain");
  const denied = await verdict(Verdict.deny("no", { reason: "why" }));
  assert.deepEqual(denied, { tag: "deny", val: { kind: "deny", code: "access-violation", message: "no", reason: "why" } });
  for (const wrong of [{ burst: 65536 }, { rate: -1 }, { maxSize: 2 ** 64 }, { floors: { timeout: 256 } }]) {
    assert.throws(() => Verdict.allow(wrong), RangeError);
  }
  assert.throws(() => Verdict.allow({ blksize: 512 }), /there is no `blksize` in a profile/);
  assert.throws(() => Verdict.allow({ floors: { blocksize: 512 } }), /there is no `blocksize` in floors/);
  assert.throws(() => Verdict.deny("x", { code: "nonsense" }), RangeError);
});

test("resolutions take the form of the interface", async () => {
  const resolved = async (answer) => (await exports.resolve({ resolve: () => answer }).resolve(GIVEN)).resolution;
  const target = { root: "r", path: "p" };
  const own = Resolution.serve([Candidate.file(target), Candidate.rendering("k")], { elseNext: true, profile: { rate: 9 } });
  const { tag, val } = await resolved(own);
  assert.deepEqual([tag, val.elseNext, val.profile.rate, val.profile.attributes], ["serve", true, 9n, []]);
  assert.deepEqual(val.candidates, [{ tag: "file", val: { kind: "file", ...target } }, { tag: "rendering", val: "k" }]);
  assert.deepEqual(Resolution.files(target, target), Resolution.serve([Candidate.file(target), Candidate.file(target)]));
  assert.deepEqual(Resolution.rendered("k"), Resolution.serve([Candidate.rendering("k")]));
  const named = await resolved(Resolution.content("a", { name: "n" }));
  const data = new Uint8Array([97]);
  assert.deepEqual(named.val.candidates[0].val, { kind: "content", data, name: "n", attributes: [] });
  assert.deepEqual([named.val.elseNext, named.val.profile], [false, undefined]);
  assert.deepEqual(await resolved(Resolution.drop("away")), { tag: "drop", val: "away" });
  assert.throws(() => Resolution.content(5), TypeError);
});

test("acceptances take the form of the interface", async () => {
  const given = { root: "r", path: "p", size: 5n, sha256: "", attributes: [["a", "b"]] };
  const accepted = (hook) => exports.acceptUpload({ acceptUpload: hook }).acceptUpload(GIVEN, given);
  const renamed = await accepted((_, { size, attributes }) => Acceptance.rename(`${size}${attributes.get("a")}`));
  assert.deepEqual(renamed, { tag: "rename", val: { kind: "rename", path: "5b", nextFree: false } });
  assert.equal((await accepted(() => Acceptance.rename("x", { nextFree: true }))).val.nextFree, true);
  assert.equal((await accepted(() => Acceptance.accept())).tag, "accept");
});

test("renderings take the form of the interface", async () => {
  const rendered = (answer) => exports.render({ render: () => answer }).render("k");
  const { tag, val: { content, ttlSeconds } } = await rendered(Rendering.content("a", { name: "n", ttl: 9 }));
  assert.deepEqual([tag, content.data, content.name, content.attributes, ttlSeconds], ["rendering", new Uint8Array([97]), "n", [], 9]);
  const deny = Rendering.deny("no", { code: "not-defined", reason: "why" });
  assert.deepEqual(await rendered(deny), { tag: "deny", val: deny });
  await assert.rejects(rendered(Resolution.abstain()), failure("TypeError: a Rendering is needed"));
  assert.throws(() => Rendering.content("a", { ttl: -1 }), RangeError);
});

test("content in parts takes the form of the interface", async () => {
  const begin = (answer) => exports.renderParts({ begin: async () => answer }).begin("k");
  const { size, name, attributes, ttlSeconds } = (await begin(Beginning.parts(5, { name: "n", ttl: 9 }))).val;
  assert.deepEqual([size, name, attributes, ttlSeconds], [5n, "n", [], 9]);
  assert.deepEqual(await begin(Beginning.whole()), { tag: "whole" });
  const deny = Beginning.deny("no");
  assert.deepEqual(await begin(deny), { tag: "deny", val: deny });
  await assert.rejects(begin(Rendering.content("a")), failure("TypeError: a Beginning is needed"));
  const part = (make) => exports.renderParts({ part: make }).part("k", 3n, 2);
  const bytes = new Uint8Array([97]);
  const asked = [];
  assert.deepEqual(await part((...given) => asked.push(given) && Part.bytes(bytes)), { tag: "bytes", val: bytes });
  assert.deepEqual(asked, [["k", 3, 2]]);
  assert.deepEqual(await part(() => deny), { tag: "deny", val: deny });
  await assert.rejects(part(() => bytes), failure("TypeError: a Part is needed"));
  for (const size of [undefined, -1, 1.5, 2n ** 64n]) assert.throws(() => Beginning.parts(size), RangeError);
  assert.throws(() => Beginning.parts(1, { ttl: -1 }), RangeError);
});

test("names of content are one line", () => {
  assert.equal(oneLine("a\nb\u0085"), "a b ");
  assert.equal(oneLine("ä".repeat(150)), "ä".repeat(100));
  assert.equal(oneLine(`a${"ä".repeat(150)}`), `a${"ä".repeat(99)}`);
});

test("problems become the error of the interface, other exceptions stay", async () => {
  const configure = (plugin, text) => exports.lifecycle(plugin).configure(text);
  const fail = (error) => ({ configure: () => { throw error; } });
  const problems = (...wanted) => ({ payload }) =>
    assert.deepEqual(payload.map(({ pointer, message }) => [pointer, message]), wanted) ?? true;
  await assert.rejects(configure(fail(new Problem("/a", "b")), "{}"), problems(["/a", "b"]));
  const several = new Problems([new Problem("/a", "b"), new Problem("/c", "d")]);
  await assert.rejects(configure(fail(several), "{}"), problems(["/a", "b"], ["/c", "d"]));
  await assert.rejects(configure({}, '{"a":1}'), problems(["/a", "this plugin has no settings"]));
  await assert.rejects(configure(fail(new RangeError("x")), "{}"), broken("RangeError: x"));
  assert.equal(await configure({}, "{}"), undefined);
});

test("events have numbers, times and what was decided", async () => {
  const seen = async (sequence, tag, val) => {
    let given;
    const observe = exports.observe({ observe: ([event]) => { given = event; } });
    await observe.observe([{ sequence, unixMs: 1000n, kind: { tag, val } }]);
    return given;
  };
  const time = new Date(1000);
  const progress = { requestId: "1", transferred: 7n, size: undefined };
  assert.deepEqual(await seen(1n, "progressed", progress), { kind: "progressed", sequence: 1, time, ...progress, transferred: 7 });
  const resolved = { tag: "file", val: { root: "r", path: "p" } };
  const decided = { request: GIVEN, resolved, decidedBy: "a", size: 9n, decisionUs: 4n };
  const started = await seen(2n, "started", decided);
  assert.equal(started.request.option("tsize"), "0");
  assert.deepEqual([started.resolved, started.size], [{ kind: "file", root: "r", path: "p" }, 9]);
  const content = { ...decided, resolved: { tag: "content", val: undefined } };
  const summary = { decided: content, outcome: "a new word", tried: [], blocks: 2n, attributes: [["hint", "h"]] };
  const finished = await seen(3n, "finished", summary);
  assert.deepEqual([finished.kind, finished.outcome, finished.blocks], ["finished", "a new word", 2]);
  assert.deepEqual([finished.decidedBy, finished.resolved], ["a", { kind: "content", name: undefined }]);
  assert.equal(finished.attributes.get("hint"), "h");
  const other = await seen(4n, "other", { kind: "paused", requestId: undefined, attributes: [["a", "b"]] });
  assert.deepEqual(other, { kind: "other", sequence: 4, time, name: "paused", requestId: undefined, attributes: new Map([["a", "b"]]) });
});

test("errors of the interface are those of the package", () => {
  const failing = (payload) => () => { throw Object.assign(new Error("x"), { payload }); };
  const read = failing({ code: "a new word", message: "m" });
  const host = server({ log: {}, files: { read, stat: failing(undefined) }, http: "http" });
  assert.throws(() => host.files.read("r", "p", 1n), (error) => failed("a new word")(error) && error.message === "m");
  assert.throws(() => host.files.stat("r", "p"), (error) => !(error instanceof HostError));
  assert.equal(host.http, "http");
});

test("a stack names lines of the sources", () => {
  const map = { version: 3, sources: ["src/kv.js", "../plugin/a.ts"], names: [], mappings: ";AAAA,SCIA;AAIA" };
  const folder = fileURLToPath(new URL("../../plugin", import.meta.url));
  const found = mapOf({ code: "locate();\n            b();\nc();", map }, folder);
  assert.deepEqual(found, { sources: ["a.ts"], places: ["", "9,0,5", "0,0,9"] });
  locate(found);
  const error = new TypeError("größer");
  error.stack = "f@plugin.js:2:10\nown@plugin.js:2:9\nasync*g@plugin.js:3:1\n@plugin.js:3:2\nx@/tmp/initializer.js:1:1\n";
  assert.equal(explained(error).toSource(), "TypeError: größer\n    at f (a.ts:5)\n    at g (a.ts:9)\n    at (a.ts:9)");
  assert.equal(explained(new Error("x")).toSource(), "x");
  assert.equal(explained("text").toSource(), "text");
});

test("the stand-ins answer as the server does", () => {
  kv.set("text", "größe");
  assert.equal(kv.getText("text"), "größe");
  assert.throws(() => kv.increment("text"), failed("bad-argument"));
  assert.equal(kv.increment("n", 2n ** 63n - 1n), 2n ** 63n - 1n);
  assert.equal(kv.increment("n"), 2n ** 63n - 1n);
  kv.delete("n");
  assert.equal(kv.get("n"), undefined);
  assert.throws(() => kv.set("a", "b", { ttl: -1 }), RangeError);
  sinks.emit("out", { a: 1n });
  assert.deepEqual(testing.takeEmitted("out"), [{ a: 1 }]);
  log.warn("m", { a: 1 });
  assert.deepEqual(testing.takeLogged(), [{ level: "warn", message: "m", fields: { a: "1" } }]);
  testing.putResponse("http://a/b?c", new http.Response(200, "x".repeat(9), [["X-A", "b"]]));
  assert.equal(http.get("http://a/b?c").header("x-a"), "b");
  assert.throws(() => http.get("http://a/b?c", { limit: 8 }), failed("too-large"));
  assert.throws(() => http.get("http://a/other"), failed("not-granted"));
  for (const url of ["ftp://a/", "http://", "a", "http://a b/"]) assert.throws(() => http.get(url), failed("bad-argument"));
});

test("files have versions", () => {
  testing.putFile("boot", "a", "\ufeffab");
  assert.equal(files.readText("boot", "a"), "ab");
  assert.throws(() => files.read("boot", "a", { limit: 4 }), failed("too-large"));
  const { size, version } = files.stat("boot", "a");
  assert.equal(size, 5);
  assert.deepEqual(files.readAt("boot", "a", version, 4, 9), new TextEncoder().encode("b"));
  assert.deepEqual(files.readAt("boot", "a", version, 9, 9), new Uint8Array());
  assert.throws(() => files.readAt("boot", "a", version, -1, 1), RangeError);
  testing.putFile("boot", "a", "ab");
  assert.throws(() => files.readAt("boot", "a", version, 0, 1), failed("changed"));
  assert.throws(() => files.readAt("boot", "b", version, 0, 1), failed("changed"));
  assert.equal(files.stat("boot", "b"), undefined);
});

test("keys have revisions, pages and shared namespaces", () => {
  const first = kv.swap("a", undefined, "one");
  assert.deepEqual(kv.entry("a"), { value: new TextEncoder().encode("one"), revision: first });
  assert.equal(kv.swap("a", undefined, "two"), undefined);
  assert.ok(kv.swap("a", first, "two") > first);
  assert.equal(kv.swap("a", first, "three"), undefined);
  assert.throws(() => kv.swap("a", 1.5, "x"), RangeError);
  const leases = kv.shared("leases");
  assert.equal(leases.getText("a"), undefined);
  for (const key of ["h/b", "h/a", "other", "h/\u{10000}", "h/\uffff"]) leases.set(key, "");
  const names = (listed) => listed.map(({ key }) => key);
  assert.deepEqual(names(leases.list("h/", { limit: 2 })), ["h/a", "h/b"]);
  assert.deepEqual(names(leases.list("h/", { after: "h/b" })), ["h/\uffff", "h/\u{10000}"]);
  assert.deepEqual([leases.list().length, kv.list()], [5, [{ key: "a", ...kv.entry("a") }]]);
  assert.deepEqual([leases.deletePrefix("h/"), leases.deletePrefix("h/"), names(leases.list())], [4, 0, ["other"]]);
  assert.equal(leases.increment("n", 2), 2n);
  leases.delete("n");
  assert.equal(leases.entry("n"), undefined);
});

test("metrics, requests, uploads, history and full sinks have stand-ins", async () => {
  metrics.add("hits", 1, { a: "x", b: "y" });
  metrics.add("hits", 2n, { b: "y", a: "x" });
  metrics.set("size", 1.5);
  assert.deepEqual([testing.metric("hits", { a: "x", b: "y" }), testing.metric("size"), testing.metric("hits")], [3, 1.5, undefined]);
  assert.throws(() => metrics.add("hits", -1), RangeError);
  const expires = new Date(5000);
  const client = { macs: ["02:00:5e:10:00:01"], lease: { hostname: "h", expires } };
  const request = testing.request("a", { client, options: { blksize: "512" }, arrival: { vlan: 7 } });
  assert.deepEqual([request.client.lease.expires, request.client.lease.age, request.arrival.vlan], [expires, 0, 7]);
  assert.ok(request.client.hasMac("02005E100001") && request.option("blksize") === "512");
  assert.throws(() => testing.request("a").client.networkMacs(), /client-mac/);
  assert.throws(() => upload.read(0, 1), failed("wrong-phase"));
  const { size, sha256 } = await testing.upload("a", "content");
  assert.deepEqual([size, sha256.length], [7, 64]);
  assert.deepEqual([upload.read(3, 2), upload.read(9, 1)], [new TextEncoder().encode("te"), new Uint8Array()]);
  assert.throws(() => upload.read(-1, 1), RangeError);
  assert.deepEqual(history.recent(), []);
  const past = { operation: "read", path: "a", outcome: "timed-out", endedMsAgo: 5 };
  testing.putHistory(past);
  assert.deepEqual(history.recent(), [past]);
  testing.fill("out");
  assert.throws(() => sinks.emit("out", 1), failed("full"));
});

test("a component exports what the plugin has, which uses what it asks for", async () => {
  const of = (exports, used = [], asked = []) => {
    const inputs = Object.fromEntries(used.map((name) => [`src/${name}.js`, { bytesInOutput: 1 }]));
    const metafile = { outputs: { "plugin.js": { exports, inputs } } };
    const esbuild = { build: async () => ({ metafile, outputFiles: [{ text: "{}" }, { text: "" }] }) };
    return exportsOf(esbuild, { folder: "/p", plugin: "p.ts", asked });
  };
  assert.deepEqual(await of(["resolve", "configure", "helper"]), ["resolve"]);
  assert.deepEqual(await of(["part", "render", "resolve", "begin"]), ["resolve", "render", "render-parts"]);
  assert.deepEqual(await of(["acceptUpload"], ["upload", "log"], ["upload"]), ["accept-upload"]);
  await assert.rejects(of(["configure"]), /has no hook/);
  await assert.rejects(of(["resolve", "part"]), /needs both functions, begin and part/);
  const message = /\/p\/p.ts uses `history` of the package tuffet.*"client-history": "REASON"/;
  await assert.rejects(of(["resolve"], ["log", "history"], ["kv"]), message);
});

test("the package has the version of the interface", () => {
  const wit = readFileSync(new URL("../../wit/policy.wit", import.meta.url), "utf8");
  assert.match(wit, new RegExp(`^package tuffet:policy@${VERSION};$`, "m"));
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
    assert.ok(!("license" in good.manifest || "homepage" in good.manifest));
    const about = project('{"name":"a","license":"MIT","homepage":"https://example.org/","tuffet":{"plugin":"p.js"}}');
    assert.deepEqual([about.manifest.license, about.manifest.homepage], ["MIT", "https://example.org/"]);
    assert.deepEqual([good.manifest.facts, good.manifest["depends-on"]], [["interface"], ["interface"]]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the schema of settings is compared with its file, and written", () => {
  const Settings = settings.object({
    sink: settings.string().described("The sink.", { format: "granted-sink-name" }),
    days: settings.integer().default(7),
    rules: settings.list(settings.object({ do: settings.oneOf("a", "b") })).optional(),
    names: settings.map(settings.boolean()).optional().described("By name."),
  });
  const folder = mkdtempSync(join(tmpdir(), "tuffet-schema-"));
  const path = join(folder, "settings.schema.json");
  writeFileSync(path, "{}");
  assert.throws(() => testing.checkSettingsSchema(Settings, path), /TUFFET_BLESS=1/);
  process.env.TUFFET_BLESS = "1";
  testing.checkSettingsSchema(Settings, path);
  delete process.env.TUFFET_BLESS;
  testing.checkSettingsSchema(Settings, path);
  const rule = { type: "object", additionalProperties: false, required: ["do"], properties: { do: { enum: ["a", "b"] } } };
  assert.deepEqual(JSON.parse(readFileSync(path, "utf8")), {
    type: "object",
    additionalProperties: false,
    required: ["sink"],
    properties: {
      sink: { type: "string", description: "The sink.", format: "granted-sink-name" },
      days: { type: "integer", default: 7 },
      rules: { type: "array", items: rule },
      names: { type: "object", additionalProperties: { type: "boolean" }, description: "By name." },
    },
  });
  assert.deepEqual(Settings.parse({ sink: "a" }), { sink: "a", days: 7, rules: undefined, names: undefined });
  rmSync(folder, { recursive: true });
});

test("labels go with the answer, and are told to later plugins", () => {
  label("canary");
  assert.deepEqual([takeLabel(), takeLabel()], ["canary", undefined]);
  const labelled = testing.request("a", { labels: { classify: "canary" }, time: new Date(5) });
  assert.deepEqual([labelled.labelOf("classify"), labelled.labelOf("other"), labelled.time.getTime()], ["canary", undefined, 5]);
});
