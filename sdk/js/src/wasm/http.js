// HTTP requests over wasi:http, one after the other. Only a component that requests the grant has this module.

import { handle } from "wasi:http/outgoing-handler@0.2.0";
import { Fields, OutgoingBody, OutgoingRequest } from "wasi:http/types@0.2.0";

import { HostError } from "../errors.js";

/** The bytes of one read or write; WASI takes no more in one write. */
const CHUNK = 4096;

const METHODS = ["get", "head", "post", "put", "delete", "connect", "options", "trace", "patch"];

export function send({ method, url, scheme, authority, path, headers, body, limit }) {
  const request = outgoing(method, scheme, authority, path, headers);
  const outgoingBody = request.body();
  let coming;
  try {
    coming = handle(request, undefined);
    write(outgoingBody, body);
    coming.subscribe().block();
    return received(coming.get(), limit);
  } catch (error) {
    throw explained(url, error);
  }
}

function outgoing(method, scheme, authority, path, headers) {
  const encoder = new TextEncoder();
  const fields = valid("headers", () =>
    Fields.fromList(headers.map(([name, value]) => [name, encoder.encode(value)])),
  );
  const request = new OutgoingRequest(fields);
  const lower = method.toLowerCase();
  const tagged = METHODS.includes(lower) ? { tag: lower } : { tag: "other", val: method };
  valid("method", () => request.setMethod(tagged));
  valid("scheme", () => request.setScheme({ tag: scheme.toUpperCase() }));
  valid("host", () => request.setAuthority(authority));
  valid("path", () => request.setPathWithQuery(path));
  return request;
}

function valid(part, set) {
  try {
    return set();
  } catch {
    throw new HostError("bad-argument", `the ${part} cannot be sent`);
  }
}

/** An answer, or a refusal, may come before the whole body is taken: it says why. */
function write(body, data) {
  try {
    if (data.length > 0) {
      const stream = body.write();
      for (let start = 0; start < data.length; start += CHUNK) {
        stream.blockingWriteAndFlush(data.subarray(start, start + CHUNK));
      }
      // The stream has to end before its body.
      stream[Symbol.dispose]();
    }
    OutgoingBody.finish(body, undefined);
  } catch {
    return;
  }
}

/** Reads an answer, at most one chunk more than the limit: enough to see that it is too large. */
function received(answer, limit) {
  const outer = answer.tag === "ok" ? answer.val : answer;
  if (outer.tag !== "ok") throw { payload: outer.val };
  const response = outer.val;
  const decoder = new TextDecoder();
  const headers = response.headers().entries().map(([name, value]) => [name, decoder.decode(value)]);
  const stream = response.consume().stream();
  const chunks = [];
  let length = 0;
  while (length <= limit) {
    let chunk;
    try {
      chunk = stream.blockingRead(BigInt(CHUNK));
    } catch (error) {
      if (error?.payload?.tag === "closed") break;
      throw error;
    }
    chunks.push(chunk);
    length += chunk.length;
  }
  const body = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return { status: response.status(), body, headers };
}

function explained(url, error) {
  const tag = error?.payload?.tag;
  if (tag === undefined) return error;
  if (tag !== "HTTP-request-denied") return new HostError("unavailable", `${url}: ${tag}`);
  return new HostError("not-granted", `${url}: the request was refused, the server's log says why`);
}
