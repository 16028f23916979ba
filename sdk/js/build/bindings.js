// Corrects the bindings that componentize-js 0.23 writes. They pass a signed number of 64 bits as a negative bigint,
// on which the engine aborts; the same bits as an unsigned bigint pass. There is no option for that, so this looks at
// the file of bindings while it is written.

import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

const FILE = /initializer\.js$/;
const WRONG = "return BigInt.asIntN(64, converted);";
const RIGHT = "return BigInt.asUintN(64, converted);";

/** Runs a build with corrected bindings. */
export async function corrected(build) {
  const { writeFile } = fs;
  fs.writeFile = (path, data, ...more) =>
    writeFile(path, FILE.test(path) ? data.replace(WRONG, RIGHT) : data, ...more);
  syncBuiltinESMExports();
  try {
    return await build();
  } finally {
    fs.writeFile = writeFile;
    syncBuiltinESMExports();
  }
}
