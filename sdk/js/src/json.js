// JSON with whole numbers of 64 bits: a number cannot hold each of them, so the large ones are of type bigint.

/** Parses JSON; a whole number beyond the safe ones becomes a bigint, where the engine shows its digits. */
export function parse(text) {
  return JSON.parse(text, (_key, value, context) => {
    if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
    return /^-?\d+$/.test(context?.source ?? "") ? BigInt(context.source) : value;
  });
}

/** Writes one line of JSON; a bigint becomes its digits. */
export function stringify(value) {
  try {
    const text = JSON.stringify(value);
    if (text !== undefined) return text;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const text = large(value, []);
    if (text !== undefined) return text;
  }
  throw new TypeError(`a ${typeof value} has no form in JSON`);
}

function large(value, outer) {
  if (typeof value === "bigint") return value.toString();
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (outer.includes(value)) throw new TypeError("a value that contains itself has no form in JSON");
  const within = [...outer, value];
  if (typeof value.toJSON === "function") return large(value.toJSON(), within);
  if (Array.isArray(value)) return `[${value.map((item) => large(item, within) ?? "null").join(",")}]`;
  const entries = Object.entries(value).map(([key, item]) => [key, large(item, within)]);
  const written = entries.filter(([, text]) => text !== undefined);
  return `{${written.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(",")}}`;
}
