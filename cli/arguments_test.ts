import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { HELP, readArguments, UsageError } from "./arguments.ts";

Deno.test("readArguments() fills in what is left out", () => {
  assertEquals(readArguments(["app.json"]), {
    manifestPath: "app.json",
    port: 8_000,
    data: undefined,
    isInProcess: false,
  });
});

Deno.test("readArguments() takes every option, before and after the manifest", () => {
  assertEquals(readArguments(["--port=0", "app.json", "--data", "d", "--in-process"]), {
    manifestPath: "app.json",
    port: 0,
    data: "d",
    isInProcess: true,
  });
  assertEquals(readArguments(["--help"]), "help");
});

Deno.test("readArguments() takes options after --, as they are passed on to a task", () => {
  assertEquals(
    readArguments(["app.json", "--", "--port", "0"]),
    readArguments(["app.json", "--port", "0"]),
  );
});

Deno.test("the help names every option", () => {
  for (const option of ["--port", "--data", "--in-process", "--help", "MANIFEST"]) {
    assertStringIncludes(HELP, option);
  }
});

Deno.test("readArguments() names the wrong argument", async (t) => {
  for (
    const [args, problem] of [
      [[], "The manifest is missing"],
      [["a.json", "b.json"], 'Unexpected argument "b.json"'],
      [["--prot", "1", "a.json"], "'--prot'"],
      [["-p", "1", "a.json"], "'-p'"],
      [
        ["--port", "http", "a.json"],
        'Cannot use the port "http": expected a number from 0 to 65535',
      ],
      [["--port", "65536", "a.json"], '"65536"'],
      [["--port", "8000.5", "a.json"], '"8000.5"'],
      [["--port", "", "a.json"], 'Cannot use the port ""'],
      [["a.json", "--port"], "--port"],
      [["--help=yes"], "--help"],
    ] as const
  ) {
    await t.step(`${JSON.stringify(args)}`, () => {
      const error = assertThrows(() => readArguments(args), UsageError);
      assertStringIncludes(error.message, problem);
    });
  }
});
