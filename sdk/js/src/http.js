import { HostError } from "./errors.js";
import { host } from "./host.js";
import { bytes, pairs } from "./values.js";

const LIMIT = 1 << 20;
const URL_FORM = /^(https?):\/\/([^/?#\s]+)(\/[^?#\s]*)?(\?[^#\s]*)?(#.*)?$/;

export class Response {
  constructor(status, body = "", headers = []) {
    this.status = status;
    this.body = bytes(body);
    this.headers = headers;
  }

  text() {
    return new TextDecoder().decode(this.body);
  }

  json() {
    return JSON.parse(this.text());
  }

  header(name) {
    const lower = name.toLowerCase();
    return this.headers.find(([its]) => its.toLowerCase() === lower)?.[1];
  }
}

export function get(url, options = {}) {
  return send("GET", url, options);
}

export function send(method, url, { headers = {}, body = "", limit = LIMIT } = {}) {
  const [, scheme, authority, path = "/", query = ""] = URL_FORM.exec(url) ?? [];
  if (!scheme) throw new HostError("bad-argument", `${url} is not http://HOST/PATH or https://HOST/PATH`);
  const target = { url, scheme, authority, path: path + query };
  const answer = host().http({ method, ...target, headers: pairs(headers), body: bytes(body), limit });
  if (answer.body.length > limit) throw new HostError("too-large", `${url}: the answer has more than ${limit} bytes`);
  return new Response(answer.status, answer.body, answer.headers);
}
