// What hooks are given: the records of the interface with maps, dates and numbers.

const FORGOTTEN = "the manifest does not ask for the grant client-mac, or the configuration does not give it";

class Client {
  constructor({ lease, ...its }) {
    Object.assign(this, its);
    this.lease = lease && { ...lease, expires: time(lease.expires, 1000), age: Number(lease.age) };
  }

  hasMac(text) {
    const digits = (mac) => mac.replace(/[:.-]/g, "").toLowerCase();
    return this.networkMacs().some(({ address }) => digits(address) === digits(text));
  }

  networkMacs() {
    return knownMacs(this).network;
  }

  claimedMacs() {
    return knownMacs(this).claimed;
  }

  anyMacs() {
    return this.macs ? [...this.macs.network, ...this.macs.claimed] : [];
  }
}

function knownMacs({ macs }) {
  if (!macs) throw new Error(FORGOTTEN);
  return macs;
}

export class Request {
  constructor({ client, options, unixMs, attributes, ...its }) {
    Object.assign(this, its);
    this.client = new Client(client);
    this.options = new Map(options);
    this.time = time(unixMs, 1);
    this.attributes = new Map(attributes);
  }

  labelOf(plugin) {
    return this.labels.find((label) => label.plugin === plugin)?.text;
  }

  option(name) {
    return this.options.get(name.toLowerCase());
  }

  attribute(name) {
    return this.attributes.get(name);
  }
}

export const upload = ({ size, attributes, ...its }) => ({
  ...its,
  size: Number(size),
  attributes: new Map(attributes),
});

/** One record of what the interface has in two or three. Numbers of events are below 2^53, so `number` holds them. */
export function event({ sequence, unixMs, kind: { tag, val } }) {
  const { decided, kind: name, ...own } = val;
  const its = { kind: tag, sequence: Number(sequence), time: time(unixMs, 1) };
  if (name !== undefined) its.name = name;
  for (const [key, value] of Object.entries({ ...decided, ...own })) {
    its[key] = typeof value === "bigint" ? Number(value) : value;
  }
  if (its.request) its.request = new Request(its.request);
  if (its.attributes) its.attributes = new Map(its.attributes);
  if (its.resolved) {
    const { tag: kind, val } = its.resolved;
    its.resolved = kind === "file" ? { kind, ...val } : { kind, name: val };
  }
  return its;
}

const time = (count, milliseconds) => (count === undefined ? undefined : new Date(Number(count) * milliseconds));
