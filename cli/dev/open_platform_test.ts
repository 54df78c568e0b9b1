import { assertEquals, assertRejects } from "@std/assert";
import { temporaryFolder } from "../../testdata/programs.ts";
import { LOCAL } from "../rules/arn.ts";
import { resolveApplication } from "../application/resolve.ts";
import type { FunctionHost } from "../lambda/function_host.ts";
import { Log } from "../lambda/log.ts";
import { Traces } from "./traces/traces.ts";
import { parseManifest } from "../manifest/manifest.ts";
import { ApiDocument } from "./api_document.ts";
import { openPlatform, TABLES_FILE } from "./open_platform.ts";
import { Sockets } from "./sockets.ts";

Deno.test("openPlatform() fails if the tables or the host fail, whichever is first", async () => {
  const functions = { one: { module: "one.ts" } };
  const tables = { notes: { key: { id: "string" } } };
  const manifest = JSON.stringify({ name: "test", stage: "v0", functions, tables });
  const application = resolveApplication(parseManifest(manifest, "app.json"), LOCAL);
  const host: FunctionHost = {
    invoke: () => Promise.reject(new Error("not invoked")),
    async [Symbol.asyncDispose]() {},
  };
  const log = new Log();
  await using sockets = await Sockets.open(0, () => {});
  const open = (folder: string, host: Promise<FunctionHost>) =>
    openPlatform({
      application,
      api: new ApiDocument("app.json", "", log),
      sockets,
      host,
      login: undefined,
      emulators: new Map(),
      log,
      traces: new Traces(),
      saving: { manifestPath: undefined, startFresh: () => Promise.reject(new Error("no test")) },
      folder,
      keepsItems: true,
    });
  const broken = temporaryFolder();
  await Deno.mkdir(`${broken}/${TABLES_FILE}`); // Then the engine cannot start.
  const late = new Promise<FunctionHost>((resolve) => setTimeout(() => resolve(host), 3_000));
  await assertRejects(() => open(broken, late), Error, "Cannot start the engine of the tables");
  const refused = Promise.reject(new Error("The host does not open"));
  await assertRejects(() => open(temporaryFolder(), refused), Error, "The host does not open");
  assertEquals(log.after(0), []);
});
