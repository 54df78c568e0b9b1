/**
 * Deploys an application to an emulated cloud with the real Terraform and its provider, reads everything back, changes it,
 * and removes it.
 *
 * @module
 */
import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { existsSync } from "node:fs";
import { EXPECTED } from "./expected.ts";
import { INFRA, MANIFEST } from "./manifest.ts";
import { assertDone, prove } from "./prove.ts";
import { killTerraform } from "./workspace.ts";

const BUCKET = "shop-uploads-123456789012-eu-west-1";

await prove(
  "an application is deployed, changed and removed",
  (statement) => !["State", "Secrets"].includes(statement),
  async ({ cloud, emulator, makeShop, step, t }) => {
    const shop = await makeShop("a copy");
    const before = await cloud.names();

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
      for (
        const [options, shown] of [
          [{ confirm: () => false }, /4 functions: shop-check, shop-files, shop-news, shop-orders/],
          [{ isPlanOnly: true }, /aws_lambda_function\.function\["orders"\] will be created/],
        ] as const
      ) {
        const { isDone, output } = await shop.deploy(options);
        assertEquals(isDone, false);
        assertMatch(output, /Warning: The variable orders\.API_TOKEN looks like a secret\./);
        assertMatch(output, shown);
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
      assert(output.includes("\ncurl -X POST 'https://shop.example/orders'\n"), output);
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
      const clone = await makeShop("clone");
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
        const gone = /^(OPTIONS|POST) \/orders /; // the route, and the answer to its preflight
        const left = EXPECTED.gateways.shop.routes.filter((route) => !gone.test(route));
        assertEquals(gateway?.routes, left);
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
      const losses = [
        `  deletes bucket ${BUCKET} (aws_s3_bucket.bucket["uploads"])`,
        `  replaces (deletes with its data) ${table}`,
      ];
      for (
        const line of [
          ...losses,
          `Cannot replace ${table}: the data would be deleted. Save the data first, and pass --delete-data, or undo the change`,
        ]
      ) assert(output.split("\n").includes(line), output);
      const plan = await shop.deploy({ isPlanOnly: true });
      const refusal = `Warning: "mate deploy" will refuse this plan. Cannot replace ${table}: `;
      assert(plan.output.includes(refusal), plan.output);
      const lines = plan.output.split("\n");
      for (const line of ["May delete data:", ...losses]) assert(lines.includes(line), plan.output);
      assert(!lines.includes("Creates:"), plan.output);
      const allowed = await shop.deploy({ isPlanOnly: true, deletesData: true });
      assert(!allowed.output.includes("will refuse"), allowed.output);
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
  },
);
