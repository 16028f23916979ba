// Errors of calls to the server, and problems of settings.

export class HostError extends Error {
  get name() {
    return this.constructor.name;
  }
}

export class Denied extends HostError {}
export class Quota extends HostError {}
export class Invalid extends HostError {}
export class Unavailable extends HostError {}
export class Full extends HostError {}
export class NoAnswer extends HostError {}

export class TooLarge extends HostError {
  constructor(bytes) {
    super(bytes === undefined ? "more than the limit" : `${bytes} bytes`);
    this.bytes = bytes;
  }
}

export class Problem extends Error {
  constructor(pointer, message) {
    super(message);
    this.name = "Problem";
    this.pointer = pointer;
  }
}

export class Problems extends Error {
  constructor(problems = []) {
    super();
    this.name = "Problems";
    this.problems = [...problems];
  }

  get message() {
    return this.problems.map(({ pointer, message }) => `${pointer}: ${message}`).join("; ");
  }

  add(pointer, message) {
    this.problems.push(new Problem(pointer, message));
  }

  check() {
    if (this.problems.length > 0) throw this;
  }
}
