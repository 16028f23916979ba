// Formats numbers and texts for people.

// Characters that hide, reverse or break text: clients choose names.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

export const plain = (text) => String(text).replace(UNSEEN, '\ufffd');

const scaled = (value, units, step) => {
  let index = 0;
  while (value >= step && index < units.length - 1) {
    value /= step;
    index += 1;
  }
  const digits = index === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)} ${units[index]}`;
};

export const bytes = (count) => scaled(count, ['B', 'kB', 'MB', 'GB', 'TB'], 1000);
export const rate = (count) => `${bytes(count)}/s`;
// For the marks of a scale: no trailing zeros, and seconds as they are.
const short = (text) => text.replace(/\.0+(?= )/, '');
export const rateMark = (value) => short(rate(value));
export const microsMark = (value) => (value < 1e6 ? short(micros(value)) : `${value / 1e6} s`);

export const percent = (part, whole) => {
  if (whole <= 0 || part <= 0) return '0 %';
  const value = (100 * part) / whole;
  return value < 0.01 ? '< 0.01 %' : `${value.toFixed(value < 1 ? 2 : value < 10 ? 1 : 0)} %`;
};

export const count = (value) => value.toLocaleString('en').replaceAll(',', '\u2009');

export const micros = (value) => {
  if (value === null || value === undefined) return '–';
  if (value < 1e6) return scaled(value, ['µs', 'ms'], 1000);
  return span(value / 1e6);
};

export const span = (seconds) => {
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const whole = Math.floor(seconds);
  const [days, hours, minutes] = [Math.floor(whole / 86400), Math.floor(whole / 3600) % 24, Math.floor(whole / 60) % 60];
  if (days > 0) return `${days} d ${hours} h`;
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${whole % 60} s`;
};

export const clock = (unixMs) => new Date(unixMs).toLocaleTimeString('en-GB');

// The bounds of the server's histograms, in microseconds.
const BOUNDS = [
  25, 50, 100, 250, 500, 1e3, 2500, 5e3, 1e4, 25e3, 5e4, 1e5, 25e4, 5e5, 1e6, 25e5, 5e6, 1e7, 3e7, 6e7, 3e8, 18e8,
];

// Returns the bound of the bucket that holds the quantile of these times; null without any. What lies beyond the last
// bound is Infinity.
export const quantile = (buckets, part) => {
  const all = buckets.reduce((sum, inside) => sum + inside, 0);
  if (all === 0) return null;
  let rest = Math.max(1, Math.ceil(all * part));
  const index = buckets.findIndex((inside) => (rest -= inside) <= 0);
  return BOUNDS[index] ?? Infinity;
};

// Formats a bound in microseconds; nothing can have taken longer than `most`.
export const within = (bound, most = Infinity) => {
  if (bound === null || bound === undefined) return '–';
  const least = Math.min(bound, most);
  if (least === Infinity) return `> ${BOUNDS.at(-1) / 6e7} min`;
  return `≤ ${least < 6e7 ? short(micros(least)) : `${Math.ceil(least / 6e7)} min`}`;
};

// Whether so many packets were resent that something is wrong; some loss is normal.
export const isMuch = (resent, sent) => resent * 20 >= Math.max(1, sent);
