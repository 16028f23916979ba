// Run natively: npm test

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Problem } from "tuffet";
import { checkSettingsSchema, configured, reset } from "tuffet/testing";

import * as plugin from "./plugin.js";

const SETTINGS = {
  version: "1.4.2",
  //% resolve
  root: "boot",
  //% end
  //% observe
  sink: "downloads",
  //% end
};

beforeEach(reset);

// After a change of the settings: TUFFET_BLESS=1 npm test
test("the schema is that of the settings", () => checkSettingsSchema(plugin.Settings));

test("a version is needed", async () => {
  await configured(plugin, SETTINGS);
  await assert.rejects(configured(plugin, { ...SETTINGS, version: "" }), Problem);
});
