// From settings to values of known types, with problems that point at the line.

import { Problems } from "./errors.js";

/** Appends a step to a JSON pointer (RFC 6901). */
export function pointer(base, ...steps) {
  const escaped = steps.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`);
  return base + escaped.join("");
}

class Kind {
  constructor(read, schema, fallback, isOptional = false) {
    this.read = read;
    this.schema = schema;
    this.fallback = fallback;
    this.isOptional = isOptional;
  }

  optional() {
    return new Kind(this.read, this.schema, undefined, true);
  }

  default(value) {
    return new Kind(this.read, { ...this.schema, default: value }, value, true);
  }

  described(description, keywords = {}) {
    return new Kind(this.read, { ...this.schema, description, ...keywords }, this.fallback, this.isOptional);
  }

  parse(value) {
    const problems = new Problems();
    const parsed = this.read(value, "", problems);
    problems.check();
    return parsed;
  }
}

const shown = (value) => (value === null ? "nothing" : (JSON.stringify(value, plain) ?? String(value)));
const plain = (_key, value) => (typeof value === "bigint" ? value.toString() : value);

const simple = (fits, called, schema) =>
  new Kind((value, at, problems) => {
    if (fits(value)) return value;
    problems.add(at, `${shown(value)} is not ${called}`);
  }, schema);

export const settings = Object.freeze({
  string: () => simple((value) => typeof value === "string", "a text", { type: "string" }),
  number: () => simple((value) => typeof value === "number", "a number", { type: "number" }),
  integer: () => simple((value) => Number.isInteger(value), "a whole number", { type: "integer" }),
  large: () =>
    new Kind((value, at, problems) => {
      if (typeof value === "bigint" || Number.isInteger(value)) return BigInt(value);
      problems.add(at, `${shown(value)} is not a whole number`);
    }, { type: "integer" }),
  boolean: () => simple((value) => typeof value === "boolean", "true or false", { type: "boolean" }),
  any: () => simple(() => true, "any value", {}),
  oneOf: (...words) =>
    new Kind((value, at, problems) => {
      if (words.includes(value)) return value;
      problems.add(at, `${shown(value)} is none of ${words.join(", ")}`);
    }, { enum: words }),
  list: (item) =>
    new Kind((value, at, problems) => {
      if (Array.isArray(value)) return value.map((each, index) => item.read(each, pointer(at, index), problems));
      problems.add(at, `${shown(value)} is no list`);
    }, { type: "array", items: item.schema }),
  map: (item) =>
    new Kind((value, at, problems) => {
      if (!isMap(value)) return problems.add(at, `${shown(value)} is no map`);
      const entries = Object.entries(value);
      return Object.fromEntries(entries.map(([key, each]) => [key, item.read(each, pointer(at, key), problems)]));
    }, { type: "object", additionalProperties: item.schema }),
  object: (fields) => new Kind((value, at, problems) => object(fields, value, at, problems), schemaOf(fields)),
});

function schemaOf(fields) {
  const entries = Object.entries(fields);
  return {
    type: "object",
    additionalProperties: false,
    required: entries.filter(([, kind]) => !kind.isOptional).map(([key]) => key),
    properties: Object.fromEntries(entries.map(([key, kind]) => [key, kind.schema])),
  };
}

const isMap = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

function object(fields, value, at, problems) {
  if (!isMap(value)) return problems.add(at, `${shown(value)} is no map`);
  const parsed = {};
  for (const [key, given] of Object.entries(value)) {
    if (Object.hasOwn(fields, key)) {
      parsed[key] = fields[key].read(given, pointer(at, key), problems);
    } else {
      problems.add(pointer(at, key), `unknown key \`${key}\`; ${hint(key, Object.keys(fields))}`);
    }
  }
  for (const [key, kind] of Object.entries(fields)) {
    if (Object.hasOwn(value, key)) continue;
    if (!kind.isOptional) problems.add(at, `the key \`${key}\` is missing`);
    else parsed[key] = typeof kind.fallback === "object" ? structuredClone(kind.fallback) : kind.fallback;
  }
  return parsed;
}

function hint(key, known) {
  if (known.length === 0) return "this plugin has no settings here";
  const [[nearest, distance]] = known.map((each) => [each, edits(key, each)]).sort((a, b) => a[1] - b[1]);
  return distance <= 2 && distance < nearest.length ? `did you mean \`${nearest}\`?` : `known here: ${known.join(", ")}`;
}

/** The Levenshtein distance. */
function edits(from, to) {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (from[i - 1] === to[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[to.length];
}
