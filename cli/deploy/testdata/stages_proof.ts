/**
 * Deploys two stages of an application beside each other, and moves states into buckets, against an emulated cloud with the
 * real Terraform and its provider.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { mate } from "../../testdata/command.ts";
import { MANIFEST } from "./manifest.ts";
import { assertDone, prove } from "./prove.ts";
import { Workspace } from "./workspace.ts";

const NOTHING = "Nothing to do: everything is as the manifest says";

await prove(
  "stages stand beside each other, and states move into buckets",
  (statement) => statement === "State",
  async ({ cloud, folder, makeShop, step }) => {
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
    const shop = await makeShop("shop");
    assertDone(await shop.deploy());

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
          .replaceAll('"prod"', '"v1"').replaceAll("/shop/prod/", "/shop/v1/").replaceAll(
            "Stage=prod",
            "Stage=v1",
          );
        const shopOnly = pick(first, (name) => name !== "states");
        const wanted = JSON.stringify(shopOnly).replaceAll(":30", ":365")
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
  },
);

/** Sorts the texts of all arrays, because names order them. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => JSON.stringify(sorted(item))).sort();
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, sorted(child)]),
  );
}
