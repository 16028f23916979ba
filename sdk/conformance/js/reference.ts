// The reference guest in TypeScript. ../README.md says what it does.

import {
  Acceptance,
  Beginning,
  Candidate,
  type Decided,
  type ErrorCode,
  type Event,
  type Parsed,
  label,
  Part,
  Problems,
  type Profile,
  pointer,
  Rendering,
  type Request,
  Resolution,
  settings as kind,
  sinks,
  type Target,
  type Upload,
  Verdict,
} from "tuffet";
import { type Command, count, runAll, sorted } from "./commands.js";
import { stringify } from "../../js/src/json.js";

const ANSWERS: Record<string, string[]> = {
  authorize: ["abstain", "allow", "deny", "drop", "tell"],
  resolve: ["abstain", "serve", "deny", "drop", "tell"],
  "accept-upload": ["abstain", "accept", "rename", "deny", "tell"],
};

const Settings = kind.object({
  rules: kind
    .list(
      kind.object({
        hook: kind.oneOf("authorize", "resolve", "accept-upload"),
        path: kind.string(),
        answer: kind.any(),
        do: kind.list(kind.list(kind.any())).default([]),
        label: kind.string().optional(),
      }),
    )
    .default([]),
  configure: kind.list(kind.list(kind.any())).default([]),
  observe: kind.string().optional(),
  renders: kind
    .map(
      kind.object({
        do: kind.list(kind.list(kind.any())).default([]),
        name: kind.string().optional(),
        content: kind.string().optional(),
        bytes: kind.integer().optional(),
        parts: kind.integer().optional(),
        "part-bytes": kind.integer().optional(),
        "each-part": kind.list(kind.list(kind.any())).default([]),
        "ends-at": kind.integer().optional(),
        "ttl-seconds": kind.integer().optional(),
        deny: kind.any().optional(),
      }),
    )
    .default({}),
});

type Settings = Parsed<typeof Settings>;

let rules: { hook: string; path: string; answer: any; do: Command[]; label?: string }[] = [];
let renders: Settings["renders"] = {};
let sink: string | undefined;
let configured: unknown[] = [];

const wordOf = (answer: any): string => (typeof answer === "string" ? answer : Object.keys(answer)[0]);

export async function configure(given: unknown): Promise<void> {
  const settings = Settings.parse(given);
  const problems = new Problems();
  settings.rules.forEach(({ hook, path, answer }, number) => {
    if (path === "") problems.add(pointer("/rules", number, "path"), "a path is needed");
    const word = wordOf(answer);
    if (!ANSWERS[hook].includes(word)) {
      problems.add(pointer("/rules", number, "answer"), `${hook} cannot answer ${word}`);
    }
  });
  problems.check();
  rules = settings.rules;
  renders = settings.renders;
  sink = settings.observe;
  configured = await runAll(settings.configure);
}

/** The word of the answer, its value, and the results of the commands. */
async function answer(hook: string, request: Request, upload?: Upload): Promise<[string, any, string]> {
  count();
  const fits = ({ path }: { path: string }) =>
    path.endsWith("*") ? request.path.startsWith(path.slice(0, -1)) : request.path === path;
  const rule = rules.find((each) => each.hook === hook && fits(each));
  if (!rule) return ["abstain", undefined, ""];
  const results = stringify([...configured, ...(await runAll(rule.do, request, upload))]);
  if (rule.label !== undefined) label(rule.label);
  const word = wordOf(rule.answer);
  return [word, rule.answer[word], results];
}

const deny = (given: { code: ErrorCode; message: string; reason: string }) =>
  Verdict.deny(given.message, { reason: given.reason, code: given.code });

export async function authorize(request: Request): Promise<Verdict> {
  const [word, value, results] = await answer("authorize", request);
  switch (word) {
    case "allow":
      return Verdict.allow(profile(value));
    case "deny":
      return deny(value);
    case "drop":
      return Verdict.drop(value);
    case "tell":
      return Verdict.deny("told", { reason: results });
  }
  return Verdict.abstain();
}

export async function resolve(request: Request): Promise<Resolution> {
  const [word, value, results] = await answer("resolve", request);
  switch (word) {
    case "serve":
      return Resolution.serve(
        value.candidates.map((given: any) => candidate(given, request)),
        { elseNext: value["else-next"], profile: value.profile && profile(value.profile) },
      );
    case "deny":
      return deny(value);
    case "drop":
      return Resolution.drop(value);
    case "tell":
      return Resolution.content(results);
  }
  return Resolution.abstain();
}

export async function render(key: string): Promise<Rendering> {
  const render = rendered(key);
  if (render === undefined) return noSuchContent(key);
  const results = stringify(await runAll(render.do));
  if (render.deny !== undefined) return deny(render.deny);
  const content = render.bytes === undefined ? (render.content ?? results) : counted(render.bytes);
  return Rendering.content(content, { name: render.name, ttl: render["ttl-seconds"] });
}

export async function begin(key: string): Promise<Beginning> {
  const render = rendered(key);
  if (render === undefined) return noSuchContent(key);
  if (render.parts === undefined) return Beginning.whole();
  await runAll(render.do);
  if (render.deny !== undefined) return deny(render.deny);
  return Beginning.parts(render.parts, { name: render.name, ttl: render["ttl-seconds"] });
}

export async function part(key: string, offset: number, length: number): Promise<Part> {
  const render = rendered(key);
  if (render === undefined) return noSuchContent(key);
  await runAll(render["each-part"]);
  if (render["ends-at"] !== undefined && offset >= render["ends-at"]) {
    return Part.deny("it ends here", { reason: "on purpose", code: "not-defined" });
  }
  const bytes = new Uint8Array(render["part-bytes"] ?? length);
  for (let at = 0, next = offset % 251; at < bytes.length; at++, next = next === 250 ? 0 : next + 1) bytes[at] = next;
  return Part.bytes(bytes);
}

function rendered(key: string): Settings["renders"][string] | undefined {
  count();
  return renders[key] ?? renders["*"];
}

const noSuchContent = (key: string) =>
  Verdict.deny("no such content", { reason: `no rule for the key ${key}`, code: "file-not-found" });

function profile({ "max-size": maxSize, "refuse-options": refuseOptions, ...rest }: any): Profile {
  return { ...rest, maxSize, refuseOptions };
}

function candidate(given: any, request: Request): Candidate {
  if (typeof given === "string") {
    const [root, ...path] = given.split(":");
    return Candidate.file({ root, path: path.join(":") });
  }
  const { rendering, bytes, content, name } = given;
  if (rendering !== undefined) return Candidate.rendering(rendering.replace("{path}", request.path));
  return Candidate.content(bytes === undefined ? content : counted(bytes), { name });
}

/** Bytes: 0 to 255, again and again. */
function counted(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, number) => number);
}

export async function acceptUpload(request: Request, upload: Upload): Promise<Acceptance> {
  const [word, value, results] = await answer("accept-upload", request, upload);
  switch (word) {
    case "accept":
      return Acceptance.accept();
    case "rename":
      return Acceptance.rename(value.path.replace("{sha256}", upload.sha256), { nextFree: value["next-free"] });
    case "deny":
      return deny(value);
    case "tell":
      return Acceptance.deny("told", { reason: results });
  }
  return Acceptance.abstain();
}

export function observe(events: Event[]): void {
  if (sink === undefined) return;
  for (const event of events) sinks.emit(sink, sorted(Object.entries(shown(event))));
}

function shown(event: Event): object {
  const { sequence } = event;
  const ms = event.time.getTime();
  switch (event.kind) {
    case "started":
      return { ...decided(event), ms, sequence, started: event.request.id };
    case "progressed":
      return { ms, progressed: event.requestId, sequence, size: event.size ?? null, transferred: event.transferred };
    case "finished":
      return {
        ...decided(event),
        blksize: event.blksize,
        blocks: event.blocks,
        decision: event.decision,
        detail: event.detail ?? null,
        finished: event.request.id,
        ms,
        outcome: event.outcome,
        retransmissions: event.retransmissions,
        sequence,
        transferred: event.transferred,
        tried: event.tried.map(pair),
        "tried-by": event.triedBy ?? null,
        windowsize: event.windowsize,
      };
    case "other":
      return {
        attributes: sorted(event.attributes),
        ms,
        other: event.name,
        "request-id": event.requestId ?? null,
        sequence,
      };
  }
}

function decided({ decidedBy, request, resolved, size }: Decided): object {
  let shown = null;
  if (resolved) shown = resolved.kind === "file" ? { file: pair(resolved) } : { content: resolved.name ?? null };
  return { "decided-by": decidedBy ?? null, path: request.path, resolved: shown, size: size ?? null };
}

const pair = ({ root, path }: Target) => [root, path];
