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

// Returns the quantile of the times in these buckets; null without any.
export const quantile = (buckets, part) => {
  const all = buckets.reduce((sum, inside) => sum + inside, 0);
  if (all === 0) return null;
  const wanted = Math.max(1, Math.ceil(all * part));
  let [before, lower] = [0, 0];
  for (const [index, inside] of buckets.entries()) {
    const upper = BOUNDS[index] ?? lower;
    if (before + inside >= wanted) return lower + ((upper - lower) * (wanted - before)) / inside;
    before += inside;
    lower = upper;
  }
  return lower;
};
