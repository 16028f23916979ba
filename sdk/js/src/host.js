// The answerer of a plugin's calls: in a component the server, in native tests the stand-in of testing.js.

let answering = null;

export function connect(host) {
  answering = host;
}

export function host() {
  if (answering === null) {
    throw new Error('outside of a server, import "tuffet/testing" first: it stands in for the server');
  }
  return answering;
}
