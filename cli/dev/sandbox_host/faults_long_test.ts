import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { hasNamespace, startApp, testPlatform } from "../../testdata/sandbox.ts";

testPlatform("a function that exhausts its heap ends, and the next succeeds", async (runtime) => {
  const notes: string[] = [];
  await using app = await startApp(
    `export const handler = async (isEndless) => {
      for (const kept = []; isEndless;) kept.push(Array(4e6).fill("heap"));
      return "done";
    };`,
    { runtime, memory: 512 }, // V8 ends the process before the limit.
    { log: ({ functionName, text }) => functionName || notes.push(text) },
  );
  const { failure, json, logTail } = await app.invoke(true);
  const { errorType, errorMessage } = json as Record<string, string>;
  assertEquals([failure, errorType], ["exit", "Runtime.ExitError"]);
  assertMatch(errorMessage!, /exited with error: signal: \w+/);
  assertMatch(logTail, /END RequestId[^]*\tStatus: error\tError Type: \w+\.\w+\t\n$/);
  assertEquals(notes.slice(1), [
    'The function "one" may keep only the "memory" that the manifest gives it',
  ]);
  assertEquals((await app.invoke(false)).json, "done");
});

testPlatform("short invocations cannot fill /tmp beyond its limit together", async (runtime) => {
  await using app = await startApp(
    `import { readdirSync, writeFileSync } from "node:fs";
      const content = new Uint8Array(64 * 1024 * 1024);
      export const handler = async () => {
        writeFileSync("/tmp/own-" + crypto.randomUUID(), content);
        return readdirSync("/tmp").filter((name) => name.startsWith("own-")).length;
      };`,
    { runtime, memory: 512 },
  );
  const counts: unknown[] = [];
  for (let call = 0; call < 10; call++) counts.push((await app.invoke()).json);
  // Eight files are 512 MB, and a runtime may keep some files in /tmp. The sandbox ends after the invocation that passes the
  // limit, or during it or the next one.
  const fresh = counts.indexOf(1, 1);
  assertEquals(counts.slice(0, 7), [1, 2, 3, 4, 5, 6, 7]);
  assertEquals([8, 9].includes(fresh), true, JSON.stringify(counts));
  for (const count of counts.slice(7, fresh)) {
    if (count !== 8) assertStringIncludes(JSON.stringify(count), "/tmp holds more than 512 MB");
  }
  const ends = app.log.filter((line) =>
    line.endsWith("Runtime ended: /tmp holds more than 512 MB")
  );
  assertEquals(ends.length, 1);
}, { ignore: !hasNamespace });
