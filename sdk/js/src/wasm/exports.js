// The exports of a component around the functions of its plugin.

import { Problem, Problems } from "../errors.js";
import { event, Request, upload } from "../given.js";
import { parse } from "../json.js";
import { pairs } from "../values.js";
import { explained } from "./stack.js";

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
    run(async () => variant("Verdict", VERDICTS, await plugin.authorize(new Request(request)))),
});

export const resolve = (plugin) => ({
  resolve: (request) =>
    run(async () => variant("Resolution", RESOLUTIONS, await plugin.resolve(new Request(request)))),
});

export const acceptUpload = (plugin) => ({
  acceptUpload: (request, given) =>
    run(async () =>
      variant("Acceptance", ACCEPTANCES, await plugin.acceptUpload(new Request(request), upload(given))),
    ),
});

export const render = (plugin) => ({
  async render(key) {
    const answer = await refusable("Rendering", ["content", "deny"], () => plugin.render(key));
    return { content: attributed(answer), ttlSeconds: answer.ttl };
  },
});

export const renderParts = (plugin) => ({
  async begin(key) {
    const answer = await refusable("Beginning", ["parts", "whole", "deny"], () => plugin.begin(key));
    return answer.kind === "whole" ? undefined : { ...attributed(answer), ttlSeconds: answer.ttl };
  },

  async part(key, offset, length) {
    const answer = await refusable("Part", ["bytes", "deny"], () => plugin.part(key, Number(offset), length));
    return answer.data;
  },
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

/** Runs a hook whose error is a denial. */
async function refusable(type, kinds, hook) {
  const answer = await fallible(async () => checked(type, kinds, await hook()));
  if (answer.kind === "deny") throw { payload: answer };
  return answer;
}
