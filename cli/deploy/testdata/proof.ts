/**
 * Deploys an application to an emulated cloud with the real Terraform and its provider, reads everything back, changes it,
 * and removes it. `deno task test:deploy` runs this proof.
 *
 * @module
 */
import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { existsSync } from "node:fs";
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

const NOTHING = "Nothing to do: everything is as the manifest says";
const BUCKET = "shop-uploads-123456789012-eu-west-1";

/** The actions for the folder infra/ of the proof, and the action that needs no permission. */
const OF_INFRA = /^(acm|ec2|route53):|^sts:GetCallerIdentity$/;

/** The actions of changes that the proof does not make, of tags at the creation of a resource, and of the role of a function. */
const NOT_CALLED = /:(Tag|Set|Update)\w+$|^iam:PassRole$|^lambda:DeleteFunctionConcurrency$/;

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
        assertMatch(output, /Warning: The variable orders\.API_TOKEN looks like a secret\./);
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
      assert(output.includes("Base URL: https://shop.example\n"), output);
      assert(output.includes("\ncurl -X POST https://shop.example/orders\n"), output);
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

    await step(
      "a second stage stands beside the first, and neither changes the other",
      async () => {
        const stage = "prod";
        const first = await cloud.all();
        const { serial } = await shop.state();
        const output = assertDone(await shop.deploy({ stage }));
        assert(output.includes("Base URL: https://prod.shop.example\n"), output);
        const both = await cloud.all();
        const isOfProd = (name: string) => /(^|\/)(shop-prod|prod\.shop)\b/.test(name);
        const pick = (all: typeof both, test: (name: string) => boolean) =>
          Object.fromEntries(
            Object.entries(all).map(([kind, items]) => [
              kind,
              Object.fromEntries(Object.entries(items).filter(([name]) => test(name))),
            ]),
          );
        assertEquals(pick(both, (name) => !isOfProd(name)), first);
        const prod = JSON.stringify(pick(both, isOfProd)).replaceAll(
          /shop-prod|prod\.shop/g,
          "shop",
        )
          .replaceAll('"prod"', '"v1"').replaceAll("Stage=prod", "Stage=v1");
        const wanted = JSON.stringify(first).replaceAll(":30", ":365")
          .replace('"MemorySize":256', '"MemorySize":512');
        assertEquals(sorted(JSON.parse(prod)), sorted(JSON.parse(wanted)));

        const changed = structuredClone(MANIFEST);
        changed.stages.prod.functions.orders.memory = 1024;
        await shop.write("app.json", changed);
        assertDone(await shop.deploy({ stage }));
        assertEquals((await cloud.functions())["shop-prod-orders"]?.MemorySize, 1024);
        assertEquals(pick(await cloud.all(), (name) => !isOfProd(name)), first);
        assertDone(await shop.undeploy({ stage, deletesData: true }));
        assertEquals(await cloud.all(), first);
        await shop.write("app.json", MANIFEST);
        assertMatch(assertDone(await shop.deploy()), /Nothing to do/);
        assertEquals((await shop.state()).serial, serial);
      },
    );

    await step("another copy of the project is refused and changes nothing", async () => {
      const names = await cloud.names();
      const clone = await makeWorkspace(`${folder}/clone`);
      const { isDone, output } = await clone.deploy();
      assertEquals(isDone, false);
      assertMatch(
        output,
        /Cannot find the state of "shop": account 123456789012 has an application of this name in eu-west-1/,
      );
      assertEquals(await cloud.names(), names);
      assertEquals(output.includes("Making the bundles"), false);
      assertEquals(existsSync(`${clone.folder}/.mate`), false);
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

    await step("a loss is named, and a replacement that deletes data is refused", async () => {
      const names = await cloud.names();
      const renamed = JSON.stringify(MANIFEST).replaceAll('"uploads"', '"inbox"');
      await shop.write("app.json", renamed);
      await shop.write("infra/main.tf", INFRA.replace('"id"', '"key"').replace('"id"', '"key"'));
      const { isDone, output } = await shop.deploy();
      assertEquals(isDone, false);
      const table = "table shop-notes (module.infra.aws_dynamodb_table.notes)";
      for (
        const line of [
          `  deletes bucket ${BUCKET} (aws_s3_bucket.bucket["uploads"])`,
          `  replaces (deletes with its data) ${table}`,
          `Cannot replace ${table}: the data would be deleted. Save the data first, and pass --delete-data, or undo the change`,
        ]
      ) assert(output.split("\n").includes(line), output);
      assertEquals(await cloud.names(), names);
      await shop.write("app.json", MANIFEST);
      await shop.write("infra/main.tf", INFRA);
    });

    await step("an index changes, and the items stay", async () => {
      const item = { owner: { S: "ada" }, id: { N: "1" }, title: { S: "tea" } };
      await cloud.putItem("shop-items", item);
      const changed = structuredClone(MANIFEST) as { tables: Record<string, object> };
      const { items } = MANIFEST.tables;
      const indexes = { "by-title": { key: { title: "string" } } };
      changed.tables.items = { ...items, indexes };
      await shop.write("app.json", changed);
      assertDone(await shop.deploy());
      const after = (await cloud.tables())["shop-items"];
      assertEquals<unknown>(after?.indexes, [["by-title", "title S", "ALL"]]);
      assertEquals<unknown>(await cloud.items("shop-items"), [item]);
      await shop.write("app.json", MANIFEST);
      assertDone(await shop.deploy());
      assertEquals<unknown>(await cloud.tables(), EXPECTED.tables);
    });

    await step("another key and a removed table need --delete-data", async () => {
      const table = 'table shop-items (aws_dynamodb_table.table["items"])';
      const { items } = MANIFEST.tables;
      const key = { owner: "string", id: "string" };
      await shop.write("app.json", { ...MANIFEST, tables: { items: { ...items, key } } });
      const other = await shop.deploy();
      assertEquals(other.isDone, false);
      assert(
        other.output.includes(`Cannot replace ${table}: the data would be deleted`),
        other.output,
      );
      const text = JSON.stringify(MANIFEST).replaceAll('"items"', '"others"');
      await shop.write("app.json", text);
      const removed = await shop.deploy();
      assertEquals(removed.isDone, false);
      assert(removed.output.includes(`Cannot delete ${table}: it is protected`), removed.output);
      assertEquals((await cloud.items("shop-items"))?.length, 1);

      await shop.write("app.json", { ...MANIFEST, tables: { items: { ...items, key } } });
      assertDone(await shop.deploy({ deletesData: true }));
      const after = (await cloud.tables())["shop-items"];
      assertEquals([after?.key, after?.isProtected], [["owner S", "id S"], true]);
      assertEquals(await cloud.items("shop-items"), []);
      await shop.write("app.json", MANIFEST);
      assertDone(await shop.deploy({ deletesData: true }));
      assertEquals<unknown>(await cloud.tables(), EXPECTED.tables);
      await cloud.putItem("shop-items", { owner: { S: "ada" }, id: { N: "1" } });
    });

    await step(
      "undeploy() refuses to delete the data of infra, and says how to keep them",
      async () => {
        const guarded = INFRA.replace(
          '"id"\n',
          '"id"\n  lifecycle {\n    prevent_destroy = true\n  }\n',
        );
        await shop.write("infra/main.tf", guarded);
        const forbidden = await shop.undeploy({ deletesData: true });
        assertMatch(
          forbidden.output,
          /Cannot delete module\.infra\.aws_dynamodb_table\.notes: "prev/,
        );
        await shop.write("infra/main.tf", INFRA);
        const { isDone, output } = await shop.undeploy();
        assertEquals([forbidden.isDone, isDone], [false, false]);
        assertMatch(
          output,
          /Cannot delete table shop-notes \(module\.infra\.aws_dynamodb_table\.notes\), aws_route53_zone shop\.example .*: it may hold data/,
        );
        const command = output.split("\n").at(-1)!;
        const { success } = await new Deno.Command("sh", { args: ["-c", command], stdout: "null" })
          .output();
        assert(success, command);
        await cloud.deleteTable("shop-notes"); // nobody else removes it now
      },
    );

    await step(
      "undeploy() keeps a bucket with objects and a table, with their settings",
      async () => {
        await cloud.upload(BUCKET, "a/b c");
        const bucket = (await cloud.buckets())[BUCKET];
        const output = assertDone(await shop.undeploy());
        assertMatch(output, new RegExp(`Kept, because .*\\n(.*\\n)* +bucket ${BUCKET} `));
        assertEquals((await cloud.buckets())[BUCKET], { ...bucket!, listeners: [] });
        assertMatch(output, /Kept, because .*\n(.*\n)* +table shop-items /);
        const table = EXPECTED.tables["shop-items"];
        assertEquals<unknown>(await cloud.tables(), {
          "shop-items": { ...table, stream: undefined },
        });
        assertEquals((await cloud.items("shop-items"))?.length, 1);
        assertEquals(
          (await cloud.names()).toSorted(),
          ["/mate/shop", "shop-items", BUCKET].toSorted(),
        );
      },
    );

    await step(
      "undeploy() deletes the objects and items if told so, and leaves nothing",
      async () => {
        assertDone(await shop.undeploy({ deletesData: true }));
        assertEquals(await cloud.names(), before);
      },
    );

    await step("the state of an application without routes moves into a bucket", async () => {
      await cloud.makeBucket("states");
      const manifest = { name: "quiet", stage: "v1", functions: { only: { module: "only.ts" } } };
      const state = "s3://states/quiet/terraform.tfstate";
      const [quiet, second] = ["quiet", "second"].map((name) => new Workspace(`${folder}/${name}`));
      for (const workspace of [quiet!, second!]) {
        await workspace.write("only.ts", "export const handler = () => 1;");
        await workspace.write("app.json", manifest);
      }
      const path = `${quiet!.folder}/app.json`;
      const { code, stdout, stderr } = await mate(["deploy", path, "--yes", "--json"]);
      assertEquals(code, 0, stderr); // with the permissions of the tool
      assertEquals(JSON.parse(stdout).functions, { only: "quiet-only" });
      assertEquals(Object.keys(await cloud.functions()), ["quiet-only"]);
      assertEquals(await cloud.gateways(), {});

      await quiet!.write("app.json", { ...manifest, state });
      const declined = await quiet!.deploy({ confirm: () => false });
      assertEquals([declined.isDone, declined.output], [false, "Nothing was changed"]);
      assertEquals(await cloud.objects("states"), []);
      const question = `Move the state of "quiet" from the folder ${
        quiet!.folder
      }/.mate/deploy/app to ${state}?`;
      const moved = assertDone(await quiet!.deploy()).split("\n");
      assert(moved.includes(question) && moved.includes(NOTHING), moved.join("\n"));
      assertEquals(await cloud.objects("states"), ["quiet/terraform.tfstate"]);

      await second!.write("app.json", { ...manifest, state });
      assert(assertDone(await second!.deploy()).includes(NOTHING));
      const full = await second!.deploy({ stage: "v2" });
      assertMatch(full.output, /it has no stage "v2": did you mean "v1"\?/);
      assertDone(await second!.undeploy());
      assertEquals(await cloud.names(), ["states"]);

      // A first deployment keeps its state in the bucket at once.
      const third = new Workspace(`${folder}/third`);
      await third.write("only.ts", "export const handler = () => 1;");
      await third.write("app.json", { ...manifest, state: "s3://states/third" });
      assertDone(await third.deploy());
      assertEquals(await cloud.objects("states"), ["quiet/terraform.tfstate", "third"]);
      assertDone(await third.undeploy());
    });
    await step("undeploy() deletes an empty bucket beside a table that it keeps", async () => {
      const kept = new Workspace(`${folder}/kept`);
      await kept.write("only.ts", "export const handler = () => 1;");
      await kept.write("app.json", {
        name: "kept",
        stage: "v1",
        functions: { only: { module: "only.ts" } },
        buckets: { empty: {} },
        tables: { items: { key: { id: "string" } } },
      });
      assertDone(await kept.deploy());
      const [, output = ""] = assertDone(await kept.undeploy()).split("Kept, because");
      assertEquals(output.match(/^ {2}\w+ \S+/gm), ["  table kept-items"]);
      assertEquals(Object.keys(await cloud.buckets()), ["states"]);
      assertDone(await kept.undeploy({ deletesData: true }));
      assertEquals(Object.keys(await cloud.tables()), []);
    });
    await step(
      "the policy of docs/ci.md allows what Terraform has called, and no more",
      async () => {
        const page = await Deno.readTextFile(new URL("../../../docs/ci.md", import.meta.url));
        const [, policy = ""] = /```json\n(\{\n {2}"Version"[^]*?)\n```/.exec(page) ?? [];
        const allowed: string[] = JSON.parse(policy).Statement
          .flatMap(({ Action }: { Action: string[] }) => Action);
        const called = [...emulator.actions].filter((action) => !OF_INFRA.test(action));
        assertEquals(called.filter((action) => !allowed.includes(action)), [], "not allowed");
        const unused = allowed.filter((action) =>
          !emulator.actions.has(action) && !NOT_CALLED.test(action)
        );
        assertEquals(unused, [], "not called");
      },
    );
    await Deno.remove(folder, { recursive: true });
  },
});

/** Sorts the texts of all arrays, because names order them. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => JSON.stringify(sorted(item))).sort();
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, sorted(child)]),
  );
}
