import {
  assert,
  assertEquals,
  assertGreater,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { functionArn } from "../../cli/platform/arn.ts";
import type { Answer } from "../../cli/platform/runtime_api/answer.ts";
import { RuntimeApi } from "../../cli/platform/runtime_api/runtime_api.ts";
import http from "../../testdata/http_rest.json" with { type: "json" };

/** How to run a program of `behaviour/`: its name, without ending, follows the arguments. */
export interface Runtime {
  /** The program that runs it. */
  readonly program: string;
  /** What the program is told, given the name. */
  args(name: string): string[];
}

const decoder = new TextDecoder();

/** Checks that every case holds on a runtime. */
export async function checkCases(runtime: Runtime): Promise<void> {
  const { code, output } = await run(runtime, "main", {});
  assertEquals(code, 0, output);
  assertGreater(output.match(/^ok /gm)?.length ?? 0, 15, output);
}

/** Checks what the logger writes as text on a runtime. */
export async function checkTextLog(runtime: Runtime): Promise<void> {
  const { code, output } = await run(runtime, "log_program", {});
  assertEquals(code, 0, output);
  const records = output.trimEnd().split("\n").map((line) => line.split("\t"));
  assertEquals(records.map(([, id, level]) => [id, level]), [
    ["id-1", "INFO"],
    ["id-1", "WARN"],
    ["id-2", "ERROR"],
    ["id-3", "ERROR"],
    ["", "FATAL"],
    ["", "FATAL"],
  ]);
  assertMatch(records[0]![0]!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assertEquals(records[1]![3], "Two\rlines");
  assertStringIncludes(records[5]!.join("\t"), "INTERNAL ERROR: The order failed.");
  assertStringIncludes(records[5]!.join("\t"), "No water");
}

/** Checks what the logger writes as JSON on a runtime. */
export async function checkJsonLog(runtime: Runtime): Promise<void> {
  const env = { AWS_LAMBDA_LOG_FORMAT: "JSON", AWS_LAMBDA_LOG_LEVEL: "WARN" };
  const { code, output } = await run(runtime, "log_program", env);
  assertEquals(code, 0, output);
  const records = output.trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(records.map(({ level, requestId, message }) => [level, requestId, message]), [
    ["WARN", "id-1", "Two\nlines"],
    ["ERROR", "id-2", "Overlapping"],
    ["ERROR", "id-3", "Overlapping"],
    ["FATAL", "", "Odd"],
    ["FATAL", "", "INTERNAL ERROR: The order failed."],
  ]);
  assertEquals(records[4].errorMessage, "No tea");
  assertEquals(records[4].cause.errorType, "RangeError");
}

/** Checks that a runtime serves the invocations of the emulated Runtime API. */
export async function checkLoop(runtime: Runtime): Promise<void> {
  await using api = await RuntimeApi.listen();
  const child = start(runtime, "loop_program", {
    AWS_LAMBDA_RUNTIME_API: api.address,
    AWS_LAMBDA_LOG_FORMAT: "JSON",
  });
  const ended = child.output();
  const invoke = (event: unknown, requestId: string): Promise<Answer> =>
    Promise.race([
      api.invoke({
        requestId,
        functionName: "loop",
        payload: new TextEncoder().encode(JSON.stringify(event)),
        deadline: Date.now() + 60_000,
        tenantId: "tenant-1",
      }).answered,
      ended.then(({ stdout, stderr }) => {
        throw new Error(`The loop ended: ${decoder.decode(stdout)}${decoder.decode(stderr)}`);
      }),
    ]);
  try {
    assertEquals(jsonOf(await invoke({ kind: "context" }, "id-1")), {
      id: "id-1",
      arn: functionArn("loop"),
      tenant: "tenant-1",
      hasTime: true,
    });
    const failure = await invoke({ kind: "failure" }, "id-2");
    assert(failure.kind === "error");
    assertEquals(failure.errorType, "Function.RangeError");
    assertStringIncludes(decoder.decode(failure.body), "There is no tea");
    const stream = await invoke({ kind: "stream" }, "id-3");
    assert(stream.kind === "response" && stream.isStream);
    assertMatch(decoder.decode(stream.body), /^\{"statusCode":201,.*\}\0{8}1\n2\n3\n$/);
    const { statusCode } = jsonOf(await invoke(http, "id-4")) as { statusCode: number };
    assertEquals(statusCode, 200);
  } finally {
    child.kill();
  }
  const { stdout } = await ended.catch(() => ({ stdout: new Uint8Array() }));
  const records = decoder.decode(stdout).trimEnd().split("\n").map((line) => JSON.parse(line));
  const asked = records.find(({ message }) => message === "Asked for");
  assertEquals([asked?.requestId, asked?.data?.[0]], ["id-4", "v0"]);
}

function jsonOf(answer: Answer): unknown {
  const text = decoder.decode(answer.body);
  assertEquals(answer.kind, "response", text);
  return JSON.parse(text);
}

function start({ program, args }: Runtime, name: string, env: Record<string, string>) {
  const { PATH = "", HOME = "" } = Deno.env.toObject();
  return new Deno.Command(program, {
    args: args(name),
    env: { PATH, HOME, NO_COLOR: "1", ...env },
    clearEnv: true,
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

async function run(
  runtime: Runtime,
  name: string,
  env: Record<string, string>,
): Promise<{ code: number; output: string }> {
  const { code, stdout, stderr } = await start(runtime, name, env).output();
  return { code, output: decoder.decode(stdout) + decoder.decode(stderr) };
}
