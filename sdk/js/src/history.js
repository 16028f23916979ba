import { host } from "./host.js";

export function recent() {
  return host().history();
}
