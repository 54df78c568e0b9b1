/**
 * Measures the first call, the memory and the zip of functions for Deno and for Node.js, as `mate dev` runs them, and AWS's
 * client of the Runtime API without the platform.
 *
 * @module
 */
import type { ApplicationFunction } from "../cli/application/types.ts";
import { makeZip, writeFiles } from "../cli/archives/archive.ts";
import { bundleError, bundleFunctions } from "../cli/bundle/functions.ts";
import { SandboxHost } from "../cli/dev/sandbox_host/host.ts";
import { lambdaEnvironment } from "../cli/lambda/isolation/environment.ts";
import { nodeCommand, nodeEnvironment, nodeRuntimeFiles } from "../cli/lambda/node/node_command.ts";
import { RuntimeApi } from "../cli/lambda/runtime_api/runtime_api.ts";
import type { Runtime } from "../cli/manifest/manifest.ts";
import { findNode } from "../cli/programs/find_node.ts";
import { makeApp } from "../cli/testdata/bundle.ts";
import config from "../.ci/deno.json" with { type: "json" };
import { inRounds, medians, type Row } from "./contest.ts";

const SDK = "@aws-sdk/client-s3";

/** The modules by the kind of the function. */
const MODULES: Readonly<Record<string, string>> = {
  function: "export const handler = async () => 1;",
  "function with the AWS SDK":
    `import { S3Client } from "${SDK}";\nconst client = new S3Client({});\n` +
    "export const handler = async () => typeof client.send;",
};

const RUNTIMES: readonly Runtime[] = ["deno", "nodejs22.x", "nodejs24.x"];

/** What a round measures of a function, by its unit. */
type Measured = Readonly<Record<"ms" | "MB", number>>;

/** Measures in rounds of random order. */
export async function measureFunctions(rounds: number): Promise<Row[]> {
  await using app = await makeBenchmarkApp();
  const application = await app.read();
  const options = { application, manifestPath: app.manifest, log() {}, idleLimit: 1 };
  await using host = await SandboxHost.open(options);
  const bundled = await bundleFunctions(app.manifest, application, { isMinified: true });
  if (bundled.problems.size > 0) throw bundleError(bundled.problems);

  const turns: Record<string, () => Promise<Measured>> = {};
  for (const [name, settings] of Object.entries(application.functions)) {
    turns[name] = () => callFirst(host, name);
    if (settings.runtime === "deno") continue;
    const task = `${app.folder}/${name}`;
    await writeFiles(task, bundled.functions.get(name)!);
    turns[`${name} alone`] = await bareNode(settings, task);
  }
  const results = await inRounds(rounds, turns);
  const times = medians(results, ({ ms }) => ms);
  const memory = medians(results, ({ MB }) => MB);

  const rows: Row[] = [];
  for (const [index, kind] of Object.keys(MODULES).entries()) {
    for (const runtime of RUNTIMES) {
      const name = nameOf(index, runtime);
      const row = (work: string, unit: string, ours: number, others: Row["values"] = {}) =>
        rows.push({
          work: `${kind}: ${work}`,
          unit,
          runtime,
          values: { "@mate/core": ours, ...others },
        });
      const alone = times[`${name} alone`];
      row("first call", "ms", times[name]!, alone ? { "AWS's client alone": alone } : {});
      row("memory", "MB", memory[name]!);
      row("zip", "KB", (await makeZip(bundled.functions.get(name)!)).length / 1e3);
    }
  }
  return rows;
}

const nameOf = (kind: number, runtime: Runtime) => `f${kind}-${runtime.replace(".x", "")}`;

/** Makes an application with a function of each kind for each runtime. */
function makeBenchmarkApp() {
  const imports = { [SDK]: config.imports[SDK] };
  const files: Record<string, string> = { "deno.json": JSON.stringify({ imports, lock: false }) };
  const functions: Record<string, unknown> = {};
  for (const [kind, code] of Object.values(MODULES).entries()) {
    files[`f${kind}.ts`] = code;
    for (const runtime of RUNTIMES) {
      functions[nameOf(kind, runtime)] = { module: `f${kind}.ts`, runtime, memory: 512 };
    }
  }
  return makeApp(files, functions);
}

/** Calls a function of which no process runs. */
async function callFirst(host: SandboxHost, name: string): Promise<Measured> {
  await Promise.all(host.sandboxesOf(name).map(({ gone }) => gone));
  const begin = performance.now();
  const { failure, logTail } = await host.invoke(name, new TextEncoder().encode("{}"));
  const ms = performance.now() - begin;
  if (failure !== undefined) throw new Error(`"${name}" failed: ${logTail}`);
  return { ms, MB: Number(/Max Memory Used: (\d+) MB/.exec(logTail)![1]) };
}

/** The smallest HTTP client for AWS's client of the Runtime API, whose own is a native library. */
const CLIENT = `const http = require("node:http");
const Module = require("node:module");
const send = (method, path, body) => new Promise((resolve, reject) => {
  const url = "http://" + process.env.BENCH_API + "/2018-06-01/runtime/invocation/" + path;
  const request = http.request(url, { method }, async (response) => {
    const { headers } = response;
    const parts = await response.toArray();
    const deadline = Number(headers["lambda-runtime-deadline-ms"]);
    resolve({ bodyJson: parts.join(""), headers: { ...headers, "lambda-runtime-deadline-ms": deadline } });
  });
  request.on("error", reject).end(body);
});
const client = {
  next: () => send("GET", "next"),
  done: (id, body) => void send("POST", id + "/response", body),
  error: (id, body) => void send("POST", id + "/error", body),
};
const load = Module._load;
Module._load = (name, ...rest) => name === "./rapid-client.node" ? client : load(name, ...rest);
`;

/** Returns a function that starts AWS's client without isolation and calls the function once. */
async function bareNode(settings: ApplicationFunction, task: string) {
  const { name, runtime } = settings;
  if (runtime === "deno") throw new Error("AWS has no client for Deno");
  const { program, client } = await findNode(runtime);
  const place = { program, runtime: `${task}-runtime`, task, tmp: "/tmp", isConfined: true };
  await writeFiles(place.runtime, await nodeRuntimeFiles(runtime, client));
  await Deno.writeTextFile(`${place.runtime}/preload.cjs`, CLIENT);
  const [, ...args] = nodeCommand(settings, place);
  const payload = new TextEncoder().encode("{}");
  return async (): Promise<Measured> => {
    await using api = await RuntimeApi.listen();
    const begin = performance.now();
    await using child = new Deno.Command(program, {
      args,
      cwd: task,
      clearEnv: true,
      env: {
        ...lambdaEnvironment(settings, { task, logStream: "bench" }),
        ...nodeEnvironment(runtime, task),
        AWS_LAMBDA_RUNTIME_API: api.address.split("/")[0]!,
        BENCH_API: api.address,
      },
      stdin: "null",
      stdout: "null",
      stderr: "inherit",
    }).spawn();
    const deadline = Date.now() + 60_000;
    const { answered } = api.invoke({ requestId: "1", functionName: name, payload, deadline });
    const answer = await Promise.race([answered, child.status]);
    if (!("kind" in answer) || answer.kind !== "response") {
      throw new Error(`"${name}" failed without the platform`);
    }
    return { ms: performance.now() - begin, MB: 0 };
  };
}
