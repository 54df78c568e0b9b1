import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { temporaryFolder } from "../../testdata/programs.ts";
import { TestHost } from "../testdata/platform.ts";
import { LOCAL } from "../rules/arn.ts";
import { resolveApplication } from "../application/resolve.ts";
import { Log } from "../lambda/log.ts";
import { Traces } from "./traces/traces.ts";
import { parseManifest } from "../manifest/manifest.ts";
import { ApiDocument } from "./api_document.ts";
import { controlUrlOf } from "./listener.ts";
import { openPlatform, TABLES_FILE } from "./open_platform.ts";
import { Sockets } from "./sockets.ts";

Deno.test("openPlatform() answers although the engine of the tables does not start, and tells why", async () => {
  const functions = { one: { module: "one.ts" } };
  const tables = { notes: { key: { id: "string" } } };
  const manifest = JSON.stringify({ name: "test", stage: "v0", functions, tables });
  const application = resolveApplication(parseManifest(manifest, "app.json"), LOCAL);
  const log = new Log();
  await using sockets = await Sockets.open(0, (text) => log.note(text));
  const folder = temporaryFolder();
  await Deno.mkdir(`${folder}/${TABLES_FILE}`); // Then the engine cannot start.
  await using platform = await openPlatform({
    application,
    api: new ApiDocument("app.json", "", log),
    sockets,
    host: new TestHost(() => "{}"),
    login: undefined,
    emulators: new Map(),
    log,
    traces: new Traces(),
    saving: { manifestPath: undefined, startFresh: () => Promise.reject(new Error("no test")) },
    folder,
    keepsItems: true,
  });
  const place = controlUrlOf(sockets);
  const problem = "Cannot start the engine of the tables";
  await assertRejects(() => platform.ready, Error, problem);
  for (const [path, status] of [["/", 200], ["/tables/notes", 500]] as const) {
    const response = await fetch(place + path);
    await response.body?.cancel();
    assertEquals(response.status, status, path);
  }
  assertStringIncludes(log.after(0).map(({ text }) => text).join("\n"), problem);
});
