import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { watch } from "./watch.ts";

Deno.test("watch() tells once of what changed together, and only of what is of interest", async () => {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  const told: string[][] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const onChange = (paths: ReadonlySet<string>) => {
    told.push([...paths].sort());
    resolve();
    return Promise.resolve();
  };
  {
    using _watch = watch(folder, onChange, (path) => path.endsWith(".ts"), 20);
    await Deno.mkdir(join(folder, "sub"));
    await Deno.writeTextFile(join(folder, "notes.txt"), "");
    await Deno.writeTextFile(join(folder, "a.ts"), "1");
    await Deno.writeTextFile(join(folder, "b.ts"), "2");
    await promise;
  }
  assertEquals(told.flat().filter((path) => !path.endsWith(".ts")), []);
  assertEquals(told[0]!.includes(join(folder, "a.ts")), true);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("watch() tells of nothing any more when it is over", async () => {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  const told: unknown[] = [];
  const watched = watch(folder, (paths) => Promise.resolve(void told.push(paths)), undefined, 20);
  await Deno.writeTextFile(join(folder, "a.ts"), "1");
  watched[Symbol.dispose]();
  await watched.ended;
  assertEquals(told, []);
  await Deno.remove(folder, { recursive: true });
});
