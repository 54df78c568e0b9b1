import { assertEquals } from "@std/assert";
import { startApp, testRuntimes } from "../../testdata/sandbox.ts";

testRuntimes("a host prefix of an operation is told how to be left out", async (runtime) => {
  const notes: string[] = [];
  await using app = await startApp(
    `import { lookup } from "node:dns/promises"; export const handler = ({ host }) => lookup(host);`,
    { runtime },
    { log: ({ functionName, text }) => functionName || notes.push(text) },
  );
  for (const [host, count] of [["name.invalid", 0], ["sync-127.0.0.1", 1]] as const) {
    const { failure } = await app.invoke({ host });
    assertEquals([failure, notes.filter((text) => /disableHostPrefix: /.test(text)).length], [
      "error",
      count,
    ]);
  }
});
