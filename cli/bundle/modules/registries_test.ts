import { assertRejects } from "@std/assert";
import { makeApp, serve } from "../../testdata/bundle.ts";
import { Bundler } from "../bundler/bundler.ts";

Deno.test("an error of a server of modules names the URL, the status and the line of the import", async () => {
  await using server = serve(() => new Response("down for repairs", { status: 503 }));
  const url = `${server.url}/prices.ts`;
  await using app = await makeApp({
    "deno.json": "{}",
    "one.ts": `// the prices\nimport "${url}";\nexport const handler = () => {};`,
  }, {});
  const { host } = new URL(url);
  await using bundler = await Bundler.open({ folder: app.folder, host });
  await assertRejects(
    () => bundler.bundle(`${app.folder}/one.ts`),
    Error,
    `Import '${url}' failed: 503 Service Unavailable\n    at one.ts:2:8`,
  );
});
