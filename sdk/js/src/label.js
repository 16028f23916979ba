let given;

export function label(text) {
  given = String(text);
}

/** The label that was given since this was asked last. */
export function takeLabel() {
  const taken = given;
  given = undefined;
  return taken;
}
