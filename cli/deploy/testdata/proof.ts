/**
 * Deploys an application to an emulated cloud with the real Terraform and its provider, reads everything back, changes it,
 * and removes it. `deno task test:deploy` runs this proof.
 *
 * @module
 */
import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { mate } from "../../testdata/command.ts";
import { Cloud } from "./cloud.ts";
import { cloudEnvironment, missingTools } from "./cloud_tools.ts";
import { Emulator } from "./emulator.ts";
import { EXPECTED } from "./expected.ts";
import { INFRA, MANIFEST } from "./manifest.ts";
import { killTerraform, type Outcome, Workspace } from "./workspace.ts";

const missing = await missingTools();
if (missing.length > 0) {
  console.error(`NOT RUN: the proof of the deployment. Missing:\n- ${missing.join("\n- ")}`);
}

const BUCKET = "shop-uploads-123456789012-eu-west-1";

/** Makes a workspace with the manifest and a module for each function. */
async function makeWorkspace(folder: string): Promise<Workspace> {
  const workspace = new Workspace(folder);
  await workspace.write("app.json", MANIFEST);
  for (const { module } of Object.values(MANIFEST.functions)) {
    await workspace.write(module, `export const handler = () => "${module}", main = handler;`);
  }
  await workspace.write("infra/main.tf", INFRA);
  return workspace;
}

/** Fails with the output of a run that failed. */
function assertDone({ isDone, output }: Outcome): string {
  assert(isDone, output);
  return output;
}

Deno.test({
  name: "deploy() and undeploy(), against an emulated cloud",
  ignore: missing.length > 0,
  sanitizeOps: false, // the emulator keeps connections alive
  sanitizeResources: false,
  async fn(t) {
    const folder = await Deno.makeTempDir({ prefix: "deploy proof " });
    await using emulator = await Emulator.start();
    const variables = await cloudEnvironment(folder, emulator.url);
    for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
    const cloud = new Cloud();
    const shop = await makeWorkspace(`${folder}/a copy`);
    const before = await cloud.names();

    /** Runs a step; the later steps build on it. */
    const step = async (name: string, run: () => Promise<void>) => {
      if (!await t.step(name, run)) throw new Error(`The step failed: ${name}`);
    };

    /** Runs a deployment and kills Terraform right after the cloud has carried out a request. */
    const deployUntil = async (isLast: (request: Request) => boolean) => {
      emulator.done = (request) => {
        if (isLast(request)) killTerraform();
      };
      assert(!(await shop.deploy()).isDone);
      emulator.done = () => {};
    };

    await step("undeploy() has nothing to do before the first deployment", async () => {
      assertMatch(assertDone(await shop.undeploy()), /^Nothing to do/m);
    });

    await step("a declined plan changes nothing, and warns about secrets", async () => {
      for (const options of [{ confirm: () => false }, { isPlanOnly: true }]) {
        const { isDone, output } = await shop.deploy(options);
        assertEquals(isDone, false);
        assertMatch(output, /Warning: These variables look like secrets: orders.API_TOKEN\./);
        assertMatch(output, /4 functions: shop-check, shop-files, shop-news, shop-orders/);
        assertEquals(await cloud.names(), before);
      }
    });

    await step("a deployment that is killed twice is completed by the next", async () => {
      let groups = 0;
      await deployUntil((request) => {
        const isGroup = request.headers.get("x-amz-target")?.endsWith("CreateLogGroup") ?? false;
        return isGroup && ++groups === 3;
      });
      await deployUntil(({ method, url }) => method === "POST" && url.endsWith("/functions"));
      const output = assertDone(await shop.deploy());
      assertMatch(output, /Takes over from a run that was killed:\n(.*\n)*? +1 function: shop-/);
      const { restApiId } = await cloud.deployment();
      const url = `https://${restApiId}.execute-api.eu-west-1.amazonaws.com/v1`;
      assert(output.includes(`Base URL: ${url}\n`), output);
      assert(output.includes(`\ncurl -X POST ${url}/orders\n`), output);
    });

    for (const kind of Object.keys(EXPECTED) as (keyof typeof EXPECTED)[]) {
      await t.step(`the cloud has the ${kind} of the manifest, and no others`, async () => {
        assertEquals<unknown>(await cloud[kind](), EXPECTED[kind]);
      });
    }

    await step("a second deployment changes nothing", async () => {
      const { serial } = await shop.state();
      assertMatch(assertDone(await shop.deploy()), /Nothing to do/);
      assertEquals((await shop.state()).serial, serial);
    });

    await step("another copy of the project is refused and changes nothing", async () => {
      const names = await cloud.names();
      const clone = await makeWorkspace(`${folder}/clone`);
      const { isDone, output } = await clone.deploy();
      assertEquals(isDone, false);
      assertMatch(
        output,
        /Cannot deploy "shop": account 123456789012 has an application of this name in eu-west-1/,
      );
      assertEquals(await cloud.names(), names);
      assertEquals((await clone.state()).resources.filter(isManaged), []);
    });

    await step("another region and another account are refused", async () => {
      const { serial } = await shop.state();
      Deno.env.set("AWS_REGION", "us-east-1");
      const region = await shop.undeploy();
      Deno.env.set("AWS_REGION", "eu-west-1");
      assertMatch(region.output, /"shop" is deployed in "eu-west-1"/);
      emulator.account = "210987654321";
      const account = await shop.deploy();
      emulator.account = "123456789012";
      assertMatch(account.output, /AWS account ID not allowed: 210987654321/);
      assertEquals([region.isDone, account.isDone], [false, false]);
      assertEquals((await shop.state()).serial, serial);
    });

    await step(
      "changed code changes one function; a removed route leaves the stage",
      async () => {
        const hashes = await cloud.codeHashes();
        const { deploymentId } = await cloud.deployment();
        const requests: string[] = [];
        emulator.done = ({ method, url }) => requests.push(`${method} ${new URL(url).pathname}`);
        const changed = structuredClone(MANIFEST);
        changed.functions.orders.triggers.routes!.shift();
        await shop.write("app.json", changed);
        await shop.write("news.ts", 'export const handler = () => "changed";');
        assertDone(await shop.deploy());
        emulator.done = () => {};
        const after = await cloud.codeHashes();
        assertEquals(Object.keys(after).filter((name) => after[name] !== hashes[name]), [
          "shop-news",
        ]);
        const { shop: gateway } = await cloud.gateways();
        assertEquals(gateway?.routes, EXPECTED.gateways.shop.routes.slice(0, -1));
        assertNotEquals((await cloud.deployment()).deploymentId, deploymentId);
        // A deployment is a snapshot, so it must come after the document without the route.
        const document = requests.findLastIndex((request) => /^PUT \/restapis\/\w+$/.test(request));
        const snapshot = requests.findIndex((request) => /^POST .*\/deployments$/.test(request));
        assert(document >= 0 && snapshot > document, requests.join("\n"));
      },
    );

    await step("a renamed bucket is shown as the loss of the old one", async () => {
      const renamed = JSON.stringify(MANIFEST).replaceAll('"uploads"', '"inbox"');
      await shop.write("app.json", renamed);
      const { output } = await shop.deploy({ confirm: () => false });
      assertMatch(
        output,
        /Deletes, with everything they hold[^\n]*\n +1 bucket: shop-uploads-123456789012-eu-west-1/,
      );
      await shop.write("app.json", MANIFEST);
    });

    await step("undeploy() keeps a bucket with objects, and its settings", async () => {
      await cloud.upload(BUCKET, "a/b c");
      const bucket = (await cloud.buckets())[BUCKET];
      const output = assertDone(await shop.undeploy());
      assertMatch(output, new RegExp(`Kept, because .*\\n +1 bucket: ${BUCKET}$`));
      assertEquals((await cloud.buckets())[BUCKET], { ...bucket!, listeners: [] });
      assertEquals((await cloud.names()).toSorted(), ["/mate/shop", BUCKET]);
    });

    await step("undeploy() deletes the objects if told so, and leaves nothing", async () => {
      assertDone(await shop.undeploy({ deletesData: true }));
      assertEquals(await cloud.names(), before);
    });

    await step("an application without routes keeps its state in a bucket", async () => {
      await cloud.makeBucket("states");
      const quiet = new Workspace(`${folder}/quiet`);
      await quiet.write("app.json", {
        name: "quiet",
        stage: "v1",
        state: "s3://states/quiet/terraform.tfstate",
        functions: { only: { module: "only.ts" } },
      });
      await quiet.write("only.ts", "export const handler = () => 1;");
      const manifest = `${quiet.folder}/app.json`;
      const { code, stdout, stderr } = await mate(["deploy", manifest, "--yes", "--json"]);
      assertEquals(code, 0, stderr); // with the permissions of the tool
      assertEquals(JSON.parse(stdout).functions, { only: "quiet-only" });
      assertEquals(Object.keys(await cloud.functions()), ["quiet-only"]);
      assertEquals(await cloud.gateways(), {});
      assertEquals(await cloud.objects("states"), ["quiet/terraform.tfstate"]);
      assertDone(await quiet.undeploy());
      assertEquals(await cloud.names(), ["states"]);
    });
    await Deno.remove(folder, { recursive: true });
  },
});

function isManaged(resource: unknown): boolean {
  return (resource as { mode: string }).mode === "managed";
}
