// The errors of a build, with the exit codes of the command line.

export class BuildError extends Error {
  code = 1;
}

/** There is no project, or something in its package.json is wrong. */
export class ProjectError extends BuildError {
  code = 64;
}

/** A tool that the build needs is missing. */
export class ToolError extends BuildError {
  code = 69;
}
