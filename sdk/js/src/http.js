import { bytes } from "./answers.js";
import { Invalid, TooLarge } from "./errors.js";
import { host } from "./host.js";

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
  if (!scheme) throw new Invalid(`${url} is not http://HOST/PATH or https://HOST/PATH`);
  const fields = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  const request = { method, url, scheme, authority, path: path + query, headers: fields, body: bytes(body), limit };
  const { status, content, headers: received } = host().http(request);
  if (content.length > limit) throw new TooLarge();
  return new Response(status, content, received);
}
