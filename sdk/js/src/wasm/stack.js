// Errors of a hook with lines of the plugin's sources instead of its bundle.

/** The most functions that are named. */
const DEPTH = 8;

let sources = [];
let places = [];

/**
 * Sets the places of the bundle's text: for each of its lines where the source or its line changes, `COLUMN,SOURCE,LINE`
 * with spaces between them, and `COLUMN` alone where what follows is no source of the plugin.
 */
export function locate(map) {
  ({ sources, places } = map);
}

/** What the engine prints to standard error, from where the server takes the reason of a call that fails. */
export function explained(error) {
  const text = [messageOf(error), ...framesOf(error)].join("\n    at ");
  // It would print an error with the stack of the bundle, and other values by this method.
  return { toSource: () => text };
}

/** An error with the place where it was thrown, on one line. */
export function inOneLine(error) {
  const [place] = framesOf(error);
  return messageOf(error) + (place ? ` at ${place}` : "");
}

const messageOf = (error) => String(error).replace(/^(Host)?Error: /, "");

const framesOf = (error) =>
  String(error?.stack ?? "").split("\n").map(frame).filter(Boolean).slice(0, DEPTH);

function frame(text) {
  const [, name, line, column] = /^(?:async\*)?(.*)@plugin\.js:(\d+):(\d+)$/.exec(text) ?? [];
  const its = place(line, column);
  return its && `${name} (${its})`.trim();
}

/** The line of a source that a place in the bundle comes from. */
export function place(line, column) {
  const starts = places[line - 1]?.split(" ").map((start) => start.split(",")) ?? [];
  const [, source, its] = starts.findLast(([start]) => Number(start) < column) ?? [];
  return sources[source] && `${sources[source]}:${its}`;
}
