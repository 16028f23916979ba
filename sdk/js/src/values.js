// Checks of what a plugin hands over: the runtime would cut numbers to their bits without a word.

/** A whole number of so many bits, if there is one; with 64 bits a bigint. */
export function whole(name, value, bits) {
  if (value === undefined) return undefined;
  const fits = (typeof value === "bigint" || Number.isInteger(value)) && value >= 0 && value < 2 ** bits;
  if (!fits) throw new RangeError(`${name} ${value}: a whole number from 0 to ${2n ** BigInt(bits) - 1n} is needed`);
  return bits === 64 ? BigInt(value) : Number(value);
}

export function bytes(data) {
  if (typeof data === "string") return new TextEncoder().encode(data);
  if (data instanceof Uint8Array) return data;
  throw new TypeError(`a string or a Uint8Array is needed, not ${typeof data}`);
}

/** Names and texts, as the interface has them. */
export const pairs = (record) => Object.entries(record).map(([name, value]) => [name, String(value)]);
