// Calls to the server by the imports of the component, where a failed one throws a HostError.

import { HostError } from "../errors.js";

export function server({ http, ...interfaces }) {
  return { ...each(interfaces, (functions) => each(functions, checked)), http };
}

const each = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));

const checked = (call) => (...values) => {
  try {
    return call(...values);
  } catch (error) {
    if (error?.payload === undefined) throw error;
    throw new HostError(error.payload.code, error.payload.message);
  }
};
