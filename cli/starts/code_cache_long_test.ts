import { assertEquals, assertMatch } from "@std/assert";
import { temporaryFolder } from "../../testdata/programs.ts";
import { makeApp } from "../testdata/bundle.ts";
import { hasNamespace, isolation } from "../testdata/sandbox.ts";
import { ownArchitecture } from "../programs/pinned_packages.ts";
import { bundleFunctions } from "../bundle/functions.ts";
import { layerFiles } from "../bundle/modules/own_modules.ts";
import { addCodeCaches } from "./code_cache.ts";

Deno.test({
  name: "addCodeCaches() makes no cache for a Deno that does not keep compiled code",
  ignore: !hasNamespace,
  async fn() {
    const architecture = ownArchitecture()!;
    // A Deno of the future might keep its cache elsewhere.
    const script = '#!/bin/sh\nDENO_DIR=/tmp/elsewhere exec "$0-real" "$@"\n';
    const deno = `${temporaryFolder()}/deno`;
    await Deno.writeTextFile(deno, script, { mode: 0o755 });
    const data = await Deno.readFile(Deno.execPath());
    await using app = await makeApp(
      { "one.ts": "export const handler = () => 1;" },
      { one: { module: "one.ts" } },
    );
    const application = await app.read();
    const { functions } = await bundleFunctions(app.manifest, application);
    const before = [...functions.get("one")!];
    const warnings = await addCodeCaches(application, functions, {
      architecture,
      id: "layer",
      files: [
        ...await layerFiles(architecture),
        { path: "bin/deno-real", data, isExecutable: true },
      ],
      deno: () => Promise.resolve(deno),
      isolation,
    });
    assertMatch(warnings.join(), /: Deno keeps no compiled code\. The bundles are correct but /);
    assertEquals(functions.get("one"), before);
  },
});
