import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { findProgram } from "../programs/find_program.ts";
import { makeApp } from "../testdata/bundle.ts";
import { type Ended, hasTerminal, startMate, typeOnTerminal } from "../testdata/command.ts";
import { Emulator } from "../deploy/testdata/emulator.ts";

const moto = await findProgram("moto_server");
if (!moto) {
  console.error('NOT RUN: "mate secret" with an emulated cloud, because moto_server is missing');
}

const APP = {
  one: { module: "one.ts", secrets: ["KEY", "OTHER"] },
  two: { module: "two.ts", secrets: ["KEY"] },
};

/** The variables for a cloud. */
const environmentOf = (url: string) => ({
  AWS_ENDPOINT_URL: url,
  AWS_ACCESS_KEY_ID: "test",
  AWS_SECRET_ACCESS_KEY: "test",
  AWS_REGION: "eu-west-1",
  AWS_CONFIG_FILE: "none",
  AWS_SHARED_CREDENTIALS_FILE: "none",
});

/** Runs `mate secret` with a standard input. */
async function secret(
  args: readonly string[],
  env: Record<string, string>,
  input = "",
): Promise<Ended> {
  const child = startMate(["secret", ...args], { env, stdin: "piped" });
  const writer = child.stdin.getWriter();
  const written = writer.write(new TextEncoder().encode(input)).then(() => writer.close())
    .catch(() => {}); // a command that fails early does not read it
  const { code, stdout, stderr } = await child.output();
  await written;
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: decode(stdout), stderr: decode(stderr) };
}

Deno.test({
  name: "mate secret sets, lists and removes secrets of a stage, and shows no value",
  ignore: !moto,
  sanitizeOps: false, // the emulator keeps connections alive
  sanitizeResources: false,
  async fn(t) {
    await using emulator = await Emulator.start();
    await using app = await makeApp({}, APP, { stages: { prod: {} } });
    const env = environmentOf(emulator.url);
    const credentials = { accessKeyId: "test", secretAccessKey: "test" };
    const client = new SSMClient({ endpoint: emulator.url, region: "eu-west-1", credentials });
    const read = async (Name: string) => {
      const command = new GetParameterCommand({ Name, WithDecryption: true });
      const { Parameter } = await client.send(command);
      return [Parameter!.Value, Parameter!.Type];
    };
    const run = (args: readonly string[], input?: string) =>
      secret([...args, app.manifest], env, input);

    const set = await run(["set", "KEY"], "sesame\n");
    assertEquals([set.code, set.stderr], [0, ""]);
    assertEquals(
      set.stdout,
      "Set /test/v0/KEY in eu-west-1; one, two gets it at the next cold start\n",
    );
    assertEquals(await read("/test/v0/KEY"), ["sesame", "SecureString"]);
    await run(["set", "KEY"], "line 1\nline 2\n\n"); // another value, of several lines
    assertEquals(await read("/test/v0/KEY"), ["line 1\nline 2\n", "SecureString"]);
    const prod = await run(["set", "--stage", "prod", "KEY"], "é".repeat(2048));
    assertMatch(prod.stdout, /^Set \/test\/prod\/KEY in eu-west-1/);
    const typo = await run(["set", "OTHR"], "x");
    assertEquals(typo.stderr, 'No function has "OTHR" in "secrets": did you mean "OTHER"?\n');

    const list = await run(["list"]);
    assertMatch(
      list.stdout,
      /^ {2}KEY +set \d{4}-\S+Z {2}one, two\n {2}OTHER +has no value {2}one\n {2}OTHR +set \S+ {2}\(no function\)\n$/,
    );
    const rows = JSON.parse((await run(["list", "--json", "--stage", "prod"])).stdout);
    assertEquals(
      rows.map(({ name, functions }: { name: string; functions: string[] }) => [name, functions]),
      [
        ["KEY", ["one", "two"]],
        ["OTHER", ["one"]],
      ],
    );
    assertEquals([typeof rows[0].modified, rows[1].modified], ["string", undefined]);

    const removed = await run(["remove", "OTHR"]);
    assertEquals([removed.code, removed.stdout], [0, "Removed /test/v0/OTHR in eu-west-1\n"]);
    const again = await run(["remove", "OTHR"]);
    assertEquals(again.code, 1);
    assertMatch(
      again.stderr,
      /^Error: Cannot remove the secret "OTHR": there is no \/test\/v0\/OTHR in eu-west-1\n$/,
    );

    await t.step({
      name: "a terminal shows nothing of a value that is typed",
      ignore: !hasTerminal,
      async fn() {
        const args = ["secret", "set", "KEY", app.manifest];
        const shown = await typeOnTerminal(args, "The value of KEY: ", ["typx\x7fed\r"], { env });
        assertStringIncludes(shown, "Set /test/v0/KEY");
        assertEquals(shown.includes("typ"), false);
        assertEquals(await read("/test/v0/KEY"), ["typed", "SecureString"]);
      },
    });
  },
});

Deno.test("mate secret refuses a value over 4 KB, and no value", async () => {
  await using app = await makeApp({}, APP);
  const env = environmentOf("http://127.0.0.1:1");
  for (
    const [input, problem] of [
      ["x".repeat(4097), "it has 4097 bytes, and at most 4096 are allowed"],
      ["\n", "it is empty"],
    ] as const
  ) {
    const { code, stdout, stderr } = await secret(["set", "KEY", app.manifest], env, input);
    assertEquals([code, stdout, stderr], [
      2,
      "",
      `Error: Cannot set the secret "KEY": ${problem}\n`,
    ]);
  }
});
