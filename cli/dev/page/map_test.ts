import { assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import { manifestWith, resolved } from "../../testdata/platform.ts";
import { parseManifest } from "../../manifest/manifest.ts";
import { graphOf, neighbourhood } from "./graph.ts";
import { layersOf } from "./layers.ts";
import { createMap } from "./map.ts";

const SHOP = resolved(parseManifest(
  Deno.readTextFileSync(new URL("../../../examples/shop/app.json", import.meta.url)),
  "app.json",
));

Deno.test("the map of the shop has its places and ways", () => {
  const { places, ways } = graphOf(SHOP);
  assertEquals(places.length, 14);
  assertEquals(
    ways.map(({ from, to, isRead }) => `${from} ${isRead ? "reads" : "→"} ${to}`).sort(),
    [
      "bucket:uploads → function:importer",
      "function:api reads bucket:store",
      "function:api → bucket:uploads",
      "function:api → table:orders",
      "function:export reads bucket:store",
      "function:importer reads bucket:uploads",
      "function:importer → queue:jobs",
      "function:nightly reads bucket:store",
      "function:worker → bucket:store",
      "gateway: → function:api",
      "gateway: → function:authorizer",
      "queue:jobs → function:worker",
      "schedule:nightly → function:nightly",
      "table:orders → function:sales",
      "url:export → function:export",
    ],
  );
});

const graphs = fc.array(fc.tuple(fc.nat(9), fc.nat(9), fc.boolean()), { maxLength: 25 })
  .map((pairs) => ({
    places: Array.from({ length: 10 }, (_, id) => ({ id: `${id}`, kind: "queue", name: `${id}` })),
    ways: pairs.map(([from, to, isRead]) => ({ from: `${from}`, to: `${to}`, isRead })),
  }));

Deno.test("no two slots of the map are at one place, and causes stand left", () => {
  fc.assert(fc.property(graphs, (graph) => {
    const { slots, paths, columns, rows } = layersOf(graph);
    const all = new Set([...slots.values(), ...paths.flatMap((path) => path.slots)]);
    const cells = [...all].map(({ column, row }) => `${column} ${row}`);
    assertEquals(new Set(cells).size, all.size);
    for (const { column, row } of all) {
      assertEquals([column < columns, row < rows], [true, true]);
    }
    for (const path of paths.filter(({ isBack }) => !isBack)) {
      const steps = path.slots.map(({ column }) => column);
      assertEquals(steps, steps.map((_, index) => steps[0]! + index));
      assertEquals([path.slots[0], path.slots.at(-1)], [slots.get(path.from), slots.get(path.to)]);
    }
  }));
});

Deno.test("over twelve functions, the map shows the neighbours of one", () => {
  const names = Array.from({ length: 13 }, (_, index) => `f${index}`);
  const functions = Object.fromEntries(names.map((name, index) => [name, {
    module: "f.ts",
    triggers: { queues: [{ name: `q${index}` }] },
    uses: { queues: { [`q${(index + 1) % 13}`]: "send" } },
  }]));
  const queues = Object.fromEntries(names.map((_, index) => [`q${index}`, {}]));
  const application = resolved(manifestWith(functions, queues));
  const near = neighbourhood(graphOf(application), "function:f1");
  assertEquals(near.places.map(({ id }) => id).sort(), [
    "function:f0",
    "function:f1",
    "function:f2",
    "queue:q1",
    "queue:q2",
  ]);
  const { text } = createMap(application);
  assertEquals(text.match(/<svg/g)!.length, 13);
  assertEquals(text.match(/data-of="[^"]+" hidden/g)!.length, 12);
  assertMatch(text, /<option>f12<\/option>/);
  assertEquals(createMap(SHOP).text.match(/<svg/g)!.length, 1);
});
