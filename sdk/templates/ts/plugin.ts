// Pins the version of a firmware: a plugin to begin with. README.md says how to build and try it.

import {
  //% accept-upload
  Acceptance,
  //% end
  //% observe
  type Event,
  HostError,
  log,
  //% end
  Problem,
  //% authorize resolve accept-upload
  type Request,
  //% end
  //% resolve
  Resolution,
  //% end
  settings,
  //% observe
  sinks,
  //% end
  //% accept-upload
  type Upload,
  //% end
  //% authorize
  Verdict,
  //% end
} from "tuffet";

/** What the operator writes below `settings`. A mistyped key is an error. */
export const Settings = settings.object({
  //% resolve
  root: settings.string().described("The root that the firmware is in.", { format: "root-name" }),
  //% end
  //% observe
  sink: settings
    .string()
    .described("The sink that receives a line for each download.", { format: "granted-sink-name" }),
  //% end
  version: settings.string().described("The current version, such as 1.4.2."),
});

let its: ReturnType<typeof Settings.parse>;
let current = "";

export function configure(given: unknown): void {
  its = Settings.parse(given);
  if (its.version === "" || its.version.includes("/")) {
    // The server shows the line of its configuration that the pointer leads to.
    throw new Problem("/version", "name a version, such as 1.4.2");
  }
  current = `firmware/${its.version}.bin`;
}
//% authorize

/** Other versions than the current one are denied; everything else is left to others. */
export function authorize(request: Request): Verdict {
  const firmware = request.operation === "read" && request.path.startsWith("firmware/");
  if (!firmware || request.path === "firmware/latest.bin" || request.path === current) return Verdict.abstain();
  // The first text is sent to the client, the second is for the log.
  return Verdict.deny("take firmware/latest.bin", { reason: "not the current version" });
}
//% end
//% resolve

/** `firmware/latest.bin` is the current version; everything else is left to others. */
export function resolve(request: Request): Resolution {
  if (request.operation !== "read" || request.path !== "firmware/latest.bin") return Resolution.abstain();
  // The first that exists is served.
  return Resolution.files({ root: its.root, path: current });
}
//% end
//% accept-upload

/** The current version is not replaced, and no file is empty; everything else is left to others. */
export function acceptUpload(_request: Request, file: Upload): Acceptance {
  if (file.path === current) return Acceptance.deny("this version is in use");
  if (file.size === 0) return Acceptance.deny("the file is empty");
  return Acceptance.abstain();
}
//% end
//% observe

/** Sends a line for each file that was served. */
export function observe(events: Event[]): void {
  for (const event of events) {
    if (event.kind !== "finished" || event.outcome !== "served") continue;
    const line = {
      client: event.request.client.address,
      path: event.request.path,
      bytes: event.transferred,
      current: event.resolved?.kind === "file" && event.resolved.path === current,
    };
    try {
      sinks.emit(its.sink, line);
    } catch (error) {
      if (!(error instanceof HostError) || error.code !== "full") throw error;
      log.warn("a download is missing in the sink: it is full");
    }
  }
}
//% end
