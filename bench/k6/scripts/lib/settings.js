// What all scripts take from the command line: k6 run -e SERVER=192.0.2.1:69 -e …
const env = __ENV;

export const server = env.SERVER || '127.0.0.1:69';

// A number of the environment, or the default.
export function number(name, fallback) {
  if (env[name] === undefined || env[name] === '') {
    return fallback;
  }
  const value = Number(env[name]);
  if (!Number.isFinite(value) || value < 0) {
    throw new Error(`${name}=${env[name]} is not a number`);
  }
  return value;
}

export function text(name, fallback) {
  return env[name] || fallback;
}

// Seconds of a time such as 90s, 15m or 2h.
export function seconds(name, fallback) {
  const value = text(name, fallback);
  const match = /^(\d+(?:\.\d+)?)(s|m|h)$/.exec(value);
  if (!match) {
    throw new Error(`${name}=${value} is not a time such as 90s, 15m or 2h`);
  }
  return Number(match[1]) * { s: 1, m: 60, h: 3600 }[match[2]];
}

// How clients behave, unless a script knows better: they repeat after a second, five times.
export const client = {
  address: server,
  timeout: text('TIMEOUT', '1s'),
  retries: number('RETRIES', 5),
  localAddress: env.LOCAL_ADDRESS || undefined,
  gro: env.GRO === '1',
};

// What files.sh wrote: sizes and hashes by name. Without MANIFEST nothing is compared.
const manifest = env.MANIFEST ? JSON.parse(open(env.MANIFEST)) : { files: {} };

export const phones = number('PHONES', manifest.phones || 500);

// The expected size of a file, as an option of a transfer.
export function sized(name, options) {
  const file = manifest.files[name];
  return Object.assign({ size: file && file.size }, options);
}

// Size and hash: complete, and dearer.
export function exact(name, options) {
  const file = manifest.files[name];
  return Object.assign({ size: file && file.size, sha256: file ? file.sha256 : true }, options);
}

// A MAC address for each number; 02 at the front: none that a maker gives.
export function mac(n, separator = '') {
  const digits = '025e' + (n >>> 0).toString(16).padStart(8, '0');
  return digits.match(/../g).join(separator);
}
