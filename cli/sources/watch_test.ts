import { assertEquals, assertMatch } from "@std/assert";
import { join } from "node:path";
import { watch, type WatchOptions } from "./watch.ts";
import { until, within } from "../../testdata/waiting.ts";

/** Watches a new folder. `told` has the paths and the messages of errors. */
async function watchFolder(options: Partial<WatchOptions> = {}) {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  const watched = join(folder, "watched");
  await Deno.mkdir(watched);
  const told: string[] = [];
  const tell = (...what: readonly string[]) => void told.push(...what);
  const watching = watch(watched, {
    onChange: (paths) => Promise.resolve(tell(...paths)),
    onError: ({ message }) => tell(message),
    quiet: 20,
    ...options,
  });
  return {
    folder: watched,
    told,
    write: (name: string) => Deno.writeTextFile(join(watched, name), ""),
    /** Waits until a path or a message matches. */
    async find(pattern: RegExp): Promise<string> {
      const find = () => told.find((what) => pattern.test(what));
      await until(`${pattern}`, () => find() !== undefined, () => told);
      return find()!;
    },
    end: () => watching[Symbol.asyncDispose](),
    async [Symbol.asyncDispose]() {
      await watching[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

Deno.test("watch() reports only the changes of interest", async () => {
  await using test = await watchFolder({ isOfInterest: (path) => path.endsWith(".ts") });
  await Deno.mkdir(join(test.folder, "sub"));
  for (const name of ["notes.txt", "a.ts", "b.ts"]) await test.write(name);
  await test.find(/a\.ts$/);
  assertEquals(test.told.filter((path) => !path.endsWith(".ts")), []);
});

Deno.test("watch() reports nothing after its end", async () => {
  await using test = await watchFolder();
  await test.write("a.ts");
  await test.end();
  assertEquals(test.told, []);
});

Deno.test("watch() goes on if a new folder replaces the watched folder", async (t) => {
  for (const how of ["removed", "moved"] as const) {
    await t.step(how, async () => {
      await using test = await watchFolder();
      if (how === "removed") await Deno.remove(test.folder);
      else await Deno.rename(test.folder, `${test.folder}.old`);
      await Deno.mkdir(test.folder);
      await test.find(/watched$/);
      let count = 0;
      const isTold = async () => {
        await test.write(`new${count++}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
        return test.told.some((path) => /new\d+$/.test(path));
      };
      await until("a change in the new folder", isTold, () => test.told);
    });
  }
});

Deno.test("watch() reports that the folder is gone", async () => {
  await using test = await watchFolder();
  await Deno.remove(test.folder);
  assertMatch(await test.find(/^Cannot/), /^Cannot watch ".*watched": /);
});

Deno.test("watch() reports an error of the listener, and goes on", async () => {
  let count = 0;
  const problems: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  await using test = await watchFolder({
    onChange: () =>
      ++count === 1 ? Promise.reject(new Error("Disk full")) : Promise.resolve(resolve()),
    onError: ({ message }) => void problems.push(message),
  });
  await test.write("a");
  await until("the error", () => problems.length > 0);
  await test.write("b");
  await within("the second change", promise);
  assertMatch(problems[0]!, /: Disk full$/);
});
