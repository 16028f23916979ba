import { host } from "./host.js";

export function recent() {
  return host().history.recent().map((past) => ({ ...past, endedMsAgo: Number(past.endedMsAgo) }));
}
