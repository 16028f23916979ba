// Errors of calls to the server, and problems of settings.

export class HostError extends Error {
  constructor(code, message) {
    super(message);
    this.name = "HostError";
    this.code = code;
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
