import { assert, assertEquals, assertMatch } from "@std/assert";
import { succeed, temporaryFolder } from "../../testdata/programs.ts";
import { Kept, keyOf } from "./kept.ts";

const text = (value: string) => new TextEncoder().encode(value);
const parts = (value: string) => new Map([["a", text(value)], ["empty", new Uint8Array()]]);

/** Opens a cache, and lists its warnings and its files. */
function open(folder = temporaryFolder(), limit?: number) {
  const warnings: string[] = [];
  const kept = new Kept((message) => warnings.push(message), folder, limit);
  const files = async () =>
    (await Array.fromAsync(Deno.readDir(`${folder}/kept`), ({ name }) => name)).sort();
  return { kept, warnings, folder, files };
}

Deno.test("a kept result is found again, by its kind and its key only", async () => {
  const { kept, folder, warnings } = open();
  assertEquals(await kept.get("zip", keyOf(1)), undefined);
  await kept.put("zip", keyOf(1), parts("one"));
  const again = open(folder).kept;
  assertEquals(await again.get("zip", keyOf(1)), parts("one"));
  for (const [kind, key] of [["zip", keyOf(2)], ["code", keyOf(1)]] as const) {
    assertEquals(await again.get(kind, key), undefined);
  }
  assertEquals(await again.once("zip", keyOf(1), () => Promise.reject(new Error())), parts("one"));
  assertEquals(warnings, []);
});

Deno.test("a result that is damaged, or has the name of another, is made again, with one line", async () => {
  const { folder, files, kept } = open();
  await kept.put("zip", keyOf(1), parts("one"));
  const [name] = await files();
  const file = `${folder}/kept/${name}`;
  const bytes = await Deno.readFile(file);
  const changed = bytes.with(bytes.length - 1, 0);
  const other = `zip-${keyOf(2)}`;
  for (
    const [place, damaged] of [
      [name!, changed],
      [name!, bytes.subarray(0, -1)],
      [name!, bytes.subarray(0, 70)],
      [name!, new Uint8Array()],
      [name!, text("poisoned")],
      [other, bytes],
    ] as const
  ) {
    await Deno.writeFile(`${folder}/kept/${place}`, damaged);
    const { kept, warnings } = open(folder);
    const key = place.slice("zip-".length);
    assertEquals(
      await kept.once("zip", key, () => Promise.resolve(parts("again"))),
      parts("again"),
    );
    assertEquals(warnings.length, 1);
    assertMatch(warnings[0]!, /^The file ".*\/kept\/zip-[0-9a-f]{64}" of the cache is damaged/);
    assertEquals(await open(folder).kept.get("zip", key), parts("again"));
  }
});

Deno.test("processes that write the same results at once leave whole results, and no other file", async () => {
  const { folder, files, kept, warnings } = open();
  const script = `import { Kept, keyOf } from ${
    JSON.stringify(new URL("kept.ts", import.meta.url))
  };
    const kept = new Kept((message) => { throw new Error(message); }, ${JSON.stringify(folder)});
    const bytes = new Uint8Array(300_000).fill(7);
    for (let round = 0; round < 20; round++) {
      await kept.put("zip", keyOf(round % 3), new Map([["a", bytes]]));
      const found = await kept.get("zip", keyOf((round + 1) % 3));
      if (found && !found.get("a").every((byte) => byte === 7)) throw new Error("a part of a result");
    }`;
  await Promise.all([1, 2, 3].map(() => succeed(Deno.execPath(), ["eval", "--no-lock", script])));
  assertEquals(await files(), [0, 1, 2].map((key) => `zip-${keyOf(key)}`).sort());
  for (const key of [0, 1, 2]) {
    assertEquals((await kept.get("zip", keyOf(key)))?.get("a")?.length, 300_000);
  }
  assertEquals(warnings, []);
});

Deno.test("the results that were not used for the longest time go if all together are too large", async () => {
  const { kept, folder, files } = open(undefined, 3_000);
  for (const key of [1, 2, 3]) {
    await kept.put("zip", keyOf(key), parts("x".repeat(600)));
    const time = new Date(Date.now() - 60_000 + key);
    await Deno.utime(`${folder}/kept/zip-${keyOf(key)}`, time, time);
  }
  assert(await kept.get("zip", keyOf(1))); // Now it was used last.
  await kept.put("zip", keyOf(4), parts("x".repeat(1_000)));
  assertEquals(await files(), [1, 3, 4].map((key) => `zip-${keyOf(key)}`).sort());
});

Deno.test("old results are looked for once in a run, and again after a twentieth of the limit", async () => {
  const { kept, folder } = open(undefined, 100_000);
  const { stat } = Deno;
  let looks = 0;
  Deno.stat = (path) => {
    if (`${path}`.startsWith(`${folder}/kept/zip-`)) looks++;
    return stat(path);
  };
  try {
    for (let key = 0; key < 10; key++) await kept.put("zip", keyOf(key), parts("one"));
    assertEquals(looks, 1);
    await kept.put("zip", keyOf(10), parts("x".repeat(5_000)));
    assertEquals(looks, 1 + 11);
  } finally {
    Deno.stat = stat;
  }
});

Deno.test({
  name: "a folder that cannot be written is named, and the result is still there",
  ignore: Deno.build.os === "windows",
  async fn() {
    const folder = temporaryFolder();
    await Deno.writeTextFile(`${folder}/kept`, "a file");
    const { kept, warnings } = open(folder);
    assertEquals(await kept.once("zip", keyOf(1), () => Promise.resolve(parts("1"))), parts("1"));
    assertMatch(warnings.join(), /^Cannot keep a result in ".*\/kept": /);
  },
});
