/**
 * Proves in which order a deployment changes what clients use, with the real Terraform and an emulated cloud. It applies the
 * module alone, without bundles.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { succeed, temporaryFolder } from "../../../testdata/programs.ts";
import { LOCAL } from "../../rules/arn.ts";
import { resolveApplication } from "../../application/resolve.ts";
import { parseManifest } from "../../manifest/manifest.ts";
import { cloudEnvironment, missingTools } from "./cloud_tools.ts";
import { Emulator } from "./emulator.ts";
import { writeModule } from "../root_module.ts";

const missing = await missingTools();
if (missing.length > 0) console.error(`NOT RUN: the order of a deployment. Missing: ${missing}`);

const route = (path: string, authorizer?: string) => ({ method: "GET", path, authorizer });
const of = (routes: readonly object[], module = "a.ts") => ({ module, triggers: { routes } });
const guard = { module: "guard.ts" };

/** The functions of one version after the other. */
const VERSIONS: readonly [change: string, functions: Record<string, unknown>][] = [
  ["the first", { a: of([route("/x", "guard"), route("/y/{id}")]), b: of([]), guard }],
  [
    "a route moves, and another one gets another path",
    { a: of([route("/z", "guard")]), b: of([route("/y/{id}")]), guard },
  ],
  [
    "a function and an authorizer are renamed",
    { c: of([route("/z", "other")]), b: of([route("/y/{id}")]), other: guard },
  ],
  ["a function goes", { c: of([route("/z", "other")]), other: guard }],
];

Deno.test({
  name: "a deployment takes nothing from the live stage before the stage has changed",
  timeout: 3_600_000, // It takes minutes, and more on a busy machine.
  ignore: missing.length > 0,
  sanitizeOps: false, // the emulator keeps connections alive
  sanitizeResources: false,
  async fn() {
    const folder = temporaryFolder();
    await using emulator = await Emulator.start();
    const env = await cloudEnvironment(folder, emulator.url);
    await writeModule(folder);
    await Deno.mkdir(`${folder}/bundles`);
    for (const name of ["layer-arm64", "layer-x86_64", "a", "b", "c", "guard", "other"]) {
      await Deno.writeTextFile(`${folder}/bundles/${name}.zip`, name);
    }
    const module = {
      source: "./module",
      application: '${jsondecode(file("application.json"))}',
      bundles: "bundles",
      delete_data: false,
    };
    const main = { provider: { aws: {} }, module: { application: module } };
    await Deno.writeTextFile(`${folder}/main.tf.json`, JSON.stringify(main));
    const run = async (...args: string[]) => {
      await succeed("terraform", [...args, "-no-color", "-input=false"], { cwd: folder, env });
    };
    const nulls = (_key: string, value: unknown) => value === undefined ? null : value;
    for (const [index, [change, functions]] of VERSIONS.entries()) {
      const manifest = parseManifest(
        JSON.stringify({ name: "shop", stage: "v1", functions }),
        "app.json",
      );
      const application = resolveApplication(manifest, { ...LOCAL, account: emulator.account });
      await Deno.writeTextFile(`${folder}/application.json`, JSON.stringify(application, nulls));
      if (index === 0) await run("init");
      await run("apply", "-auto-approve");
      assertEquals(emulator.live.faults, [], change);
    }
    await run("destroy", "-auto-approve");
    assertEquals(emulator.live.faults, [], "all is removed");
  },
});
