import { assertEquals } from "@std/assert";
import { run } from "../../../testdata/programs.ts";
import { CONFIG, LOCK, MAIN, withoutDownloads } from "../../testdata/command.ts";
import { makeApp, serve } from "../../testdata/bundle.ts";

Deno.test("an error of a registry names the registry, the status and the line of the import", async () => {
  await using registry = serve(() => new Response("down for repairs", { status: 503 }));
  for (
    const [specifier, reason] of [
      [
        "jsr:@shop/prices@1",
        `JSR package manifest for '@shop/prices' failed to load. Import '${registry.url}/@shop/prices/meta.json' failed: 503 Service Unavailable`,
      ],
      [
        `${registry.url}/prices.ts`,
        `Import '${registry.url}/prices.ts' failed: 503 Service Unavailable`,
      ],
    ]
  ) {
    await using app = await makeApp({
      "deno.json": "{}",
      "one.ts": `// the prices
      import ${JSON.stringify(specifier)};
      export const handler = () => {};`,
    }, { one: { module: "one.ts" } });
    const args = ["run", "--quiet", "-A", `--lock=${LOCK}`, `--config=${CONFIG}`, MAIN, "bundle"];
    const { code, stderr } = await run(Deno.execPath(), [...args, app.manifest], {
      env: { NO_COLOR: "1", JSR_URL: `${registry.url}/` },
    });
    const message = `Error: Cannot bundle the function "one": ${reason}\n    at one.ts:2:14\n`;
    assertEquals([code, withoutDownloads(stderr)], [1, message], specifier);
  }
});
