import { assertEquals, assertStringIncludes } from "@std/assert";
import { BROWSER, CONTEXT, restEvent } from "./testdata/fixture.ts";

// Where there is no Node.js, Deno answers to its name itself.
const hasNode = await new Deno.Command("node", { args: ["-p", "process.versions.deno"] }).output()
  .then(({ stdout }) => new TextDecoder().decode(stdout).trim() === "undefined", () => false);
if (!hasNode) console.error("NOT RUN: the functions on Node.js, for there is none; install it");

/** Invokes a function, bundled, as the managed Node.js runtime does: with an event, a context, an awaited result. */
const INVOKE = `
  import { handler } from "./index.mjs";
  const context = { ...JSON.parse(process.env.CONTEXT), getRemainingTimeInMillis: () => 10_000 };
  try {
    const result = await handler(JSON.parse(process.env.EVENT), context);
    console.log("\\nRESULT" + JSON.stringify(result ?? null));
  } catch (error) {
    console.log("\\nTHROWN" + JSON.stringify(String(error)));
  }
`;

async function invoke(name: string, event: unknown): Promise<{ log: string; end: string }> {
  const folder = await Deno.makeTempDir();
  try {
    const source = `${import.meta.dirname}/${name}.ts`;
    await run(Deno.execPath(), [
      "bundle",
      "--quiet",
      "--minify",
      "-o",
      `${folder}/index.mjs`,
      source,
    ]);
    await Deno.writeTextFile(`${folder}/invoke.mjs`, INVOKE);
    const env = { CONTEXT: JSON.stringify(CONTEXT), EVENT: JSON.stringify(event) };
    const output = await run("node", [`${folder}/invoke.mjs`], env);
    const end = output.search(/\n(RESULT|THROWN)/);
    return { log: output.slice(0, end), end: output.slice(end + 1).trim() };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function run(program: string, args: string[], env: Record<string, string> = {}) {
  const { success, stdout, stderr } = await new Deno.Command(program, { args, env }).output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`Cannot run "${program}": ${decoder.decode(stderr)}`);
  return decoder.decode(stdout);
}

const PAGE = { headers: { Accept: BROWSER, "Accept-Encoding": "gzip" } };

for (
  const [name, event, end, log] of [
    ["okay", restEvent(PAGE), 'RESULT{"statusCode":200', ""],
    ["forbidden", restEvent(PAGE), 'RESULT{"statusCode":403', "Nobody may see this"],
    ["crash", restEvent(PAGE), 'RESULT{"statusCode":500', "the password has expired"],
    ["scheduler", { source: "aws.events" }, "RESULT", "aws.events"],
    ["storage", { Records: [{ eventName: "ObjectCreated:Put" }] }, "RESULT", "ObjectCreated:Put"],
    ["topic", { Records: [{ Sns: { Message: "hello" } }] }, "RESULT", "hello"],
    ["logger", {}, 'THROWN"Error: Cannot write the order"', "the disk is full"],
  ] as const
) {
  Deno.test({
    name: `${name} works on Node.js as a bundle${hasNode ? "" : " (not run: no Node.js)"}`,
    ignore: !hasNode,
    async fn() {
      const invocation = await invoke(name, event);
      assertStringIncludes(invocation.end, end);
      assertStringIncludes(invocation.log, log);
      assertEquals(invocation.log.includes(CONTEXT.awsRequestId), log !== "");
    },
  });
}
