// The exports of a component around the functions of its plugin.

import { Problem, Problems } from "../errors.js";
import { event, Request, upload } from "../given.js";
import { parse } from "../json.js";
import { takeLabel } from "../label.js";
import { pairs } from "../values.js";
import { explained, inOneLine } from "./stack.js";

export function lifecycle(plugin) {
  return {
    async configure(text) {
      const settings = parse(text);
      const problems = await fallible(async () => {
        try {
          if (plugin.configure) await plugin.configure(settings);
          else refuseAll(settings);
        } catch (error) {
          if (error instanceof Problem) return [error];
          if (error instanceof Problems) return error.problems;
          throw error;
        }
      });
      if (problems) throw { payload: problems };
    },
  };
}

function refuseAll(settings) {
  const problems = new Problems();
  for (const key of Object.keys(settings)) problems.add(`/${key}`, "this plugin has no settings");
  problems.check();
}

export const authorize = (plugin) => ({
  authorize: (request) =>
    answered(async () => {
      takeLabel();
      const verdict = variant("Verdict", VERDICTS, await plugin.authorize(new Request(request)));
      return { verdict, label: takeLabel() };
    }),
});

export const resolve = (plugin) => ({
  resolve: (request) =>
    answered(async () => {
      takeLabel();
      const resolution = variant("Resolution", RESOLUTIONS, await plugin.resolve(new Request(request)));
      return { resolution, label: takeLabel() };
    }),
});

export const acceptUpload = (plugin) => ({
  acceptUpload: (request, given) =>
    answered(async () =>
      variant("Acceptance", ACCEPTANCES, await plugin.acceptUpload(new Request(request), upload(given))),
    ),
});

export const render = (plugin) => ({
  render: (key) =>
    answered(async () => {
      const answer = checked("Rendering", ["content", "deny"], await plugin.render(key));
      if (answer.kind === "deny") return denied(answer);
      return { tag: "rendering", val: { content: attributed(answer), ttlSeconds: answer.ttl } };
    }),
});

export const renderParts = (plugin) => ({
  begin: (key) =>
    answered(async () => {
      const answer = checked("Beginning", ["parts", "whole", "deny"], await plugin.begin(key));
      if (answer.kind === "deny") return denied(answer);
      if (answer.kind === "whole") return { tag: "whole" };
      return { tag: "parts", val: { ...attributed(answer), ttlSeconds: answer.ttl } };
    }),

  part: (key, offset, length) =>
    answered(async () => {
      const answer = checked("Part", ["bytes", "deny"], await plugin.part(key, Number(offset), length));
      return answer.kind === "deny" ? denied(answer) : { tag: "bytes", val: answer.data };
    }),
});

export const observe = (plugin) => ({
  observe: (events) => run(() => plugin.observe(events.map(event))),
});

const VERDICTS = ["abstain", "allow", "deny", "drop"];
const RESOLUTIONS = ["abstain", "serve", "deny", "drop"];
const CANDIDATES = ["file", "content", "rendering"];
const ACCEPTANCES = ["abstain", "accept", "rename", "deny"];

/** The values of the cases whose value is not the answer itself. */
const VALUES = {
  allow: ({ profile }) => attributed(profile),
  drop: ({ reason }) => reason,
  serve: ({ candidates, elseNext, profile }) => ({
    candidates: candidates.map((candidate) => variant("Candidate", CANDIDATES, candidate)),
    elseNext,
    profile: profile && attributed(profile),
  }),
  content: (content) => attributed(content),
  rendering: ({ key }) => key,
};

function variant(type, kinds, answer) {
  const { kind } = checked(type, kinds, answer);
  return { tag: kind, val: VALUES[kind]?.(answer) ?? answer };
}

/** A forgotten `return` lets nobody in. */
function checked(type, kinds, answer) {
  if (kinds.includes(answer?.kind)) return answer;
  throw new TypeError(`a ${type} is needed, not ${answer?.kind ?? answer}`);
}

const denied = (answer) => ({ tag: "deny", val: answer });

const attributed = (its) => ({ ...its, attributes: pairs(its.attributes) });

/** Runs a hook whose errors the interface does not have. */
async function run(hook) {
  try {
    return await hook();
  } catch (error) {
    throw explained(error);
  }
}

/** The same where it has them: the bindings take what is thrown for one, unless reading its payload fails. */
async function fallible(hook) {
  try {
    return await hook();
  } catch (error) {
    throw {
      get payload() {
        throw explained(error);
      },
    };
  }
}

/** Runs a hook, whose errors say that it cannot answer. That memory is used up ends the instance. */
async function answered(hook) {
  try {
    return await hook();
  } catch (error) {
    if (String(error).includes("out of memory")) {
      throw {
        get payload() {
          throw explained(error);
        },
      };
    }
    throw { payload: inOneLine(error) };
  }
}
