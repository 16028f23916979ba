// The exports of a component around the functions of its plugin.

import { Problem, Problems } from "../errors.js";
import { parse } from "../json.js";

export function lifecycle(plugin) {
  return {
    async configure(text) {
      const settings = parse(text);
      try {
        if (plugin.configure) await plugin.configure(settings);
        else refuseAll(settings);
      } catch (error) {
        const problems = error instanceof Problem ? [error] : error instanceof Problems ? error.problems : null;
        // A thrown list is the error of the interface.
        throw problems ? problems.map(({ pointer, message }) => ({ pointer, message })) : error;
      }
    },
  };
}

function refuseAll(settings) {
  const problems = new Problems();
  for (const key of Object.keys(settings)) problems.add(`/${key}`, "this plugin has no settings");
  problems.check();
}

export const authorize = (plugin) => ({
  async authorize(given) {
    const answer = await plugin.authorize(request(given));
    switch (answer?.kind) {
      case "abstain":
      case "drop":
        return { tag: answer.kind };
      case "allow": {
        const { kind, bytes, rate, ...profile } = answer;
        return { tag: "allow", val: { ...profile, bytes: large(bytes), rate: large(rate) } };
      }
      case "deny":
        return denied(answer);
    }
    throw wrong("authorize", "a Verdict");
  },
});

export const resolve = (plugin) => ({
  async resolve(given) {
    const answer = await plugin.resolve(request(given));
    switch (answer?.kind) {
      case "abstain":
        return { tag: "abstain" };
      case "files":
      case "files-else-next":
        return { tag: answer.kind, val: answer.targets };
      case "content":
        return { tag: "content", val: content(answer) };
      case "rendered":
        return { tag: "rendered", val: answer.key };
      case "deny":
        return denied(answer);
    }
    throw wrong("resolve", "a Resolution");
  },

  async render(key) {
    if (!plugin.render) {
      const reason = `the plugin renders nothing for the key ${JSON.stringify(key)}`;
      throw { code: "not-defined", message: "there is no such content", reason };
    }
    const answer = await said(() => plugin.render(key));
    switch (answer?.kind) {
      case "content":
        return { content: content(answer), ttlSeconds: answer.ttl };
      case "deny":
        // What is thrown is the error of the interface.
        throw denied(answer).val;
    }
    throw written(wrong("render", "a Rendering"));
  },
});

export const renderParts = (plugin) => ({
  async begin(key) {
    const answer = await said(() => plugin.begin(key));
    switch (answer?.kind) {
      case "parts":
        return { name: answer.name, size: large(answer.size), ttlSeconds: answer.ttl };
      case "whole":
        return undefined;
      case "deny":
        throw denied(answer).val;
    }
    throw written(wrong("begin", "a Beginning"));
  },

  async part(key, offset, length) {
    const answer = await said(() => plugin.part(key, Number(offset), length));
    switch (answer?.kind) {
      case "bytes":
        return answer.data;
      case "deny":
        throw denied(answer).val;
    }
    throw written(wrong("part", "a Part"));
  },
});

export const acceptUpload = (plugin) => ({
  async acceptUpload(given, { root, path, bytes, sha256 }) {
    const upload = { root, path, bytes: Number(bytes), sha256 };
    const answer = await plugin.acceptUpload(request(given), upload);
    switch (answer?.kind) {
      case "abstain":
      case "accept":
        return { tag: answer.kind };
      case "rename":
        return { tag: "rename", val: answer.path };
      case "deny":
        return denied(answer);
    }
    throw wrong("acceptUpload", "an Acceptance");
  },
});

export const observe = (plugin) => ({
  async observe(events) {
    await plugin.observe(events.map(event));
  },
});

const content = ({ name, data }) => ({ name, bytes: data });

const large = (number) => (number === undefined ? undefined : BigInt(number));

const denied = ({ code, message, reason }) => ({ tag: "deny", val: { code, message, reason } });

// Where the interface has an error, the runtime takes an exception for one, and its message would be lost. So it is
// written to standard error, from where the server takes the reason of a call that fails.
async function said(answer) {
  try {
    return await answer();
  } catch (error) {
    throw written(error);
  }
}

function written(error) {
  console.error(String(error));
  return error;
}

// A forgotten `return` lets nobody in.
const wrong = (hook, kind) => new TypeError(`${hook} must return ${kind}`);

function request({ options, ...given }) {
  return { ...given, options: new Map(options) };
}

/** Numbers of events are below 2^53, so `number` holds them. */
function event({ unixMs, what: { tag, val } }) {
  const about = { kind: tag, time: new Date(Number(unixMs)) };
  for (const [key, value] of Object.entries(val)) about[key] = typeof value === "bigint" ? Number(value) : value;
  if (about.request) about.request = request(about.request);
  return about;
}
