import type { NodeRuntime } from "../../programs/pinned_packages.ts";
import { createHash } from "node:crypto";
import { succeed, temporaryFolder } from "../../../testdata/programs.ts";
import { FunctionPool } from "../../lambda/sandbox/function_pool.ts";
import { nodeRuntimeFiles } from "../../lambda/node/node_command.ts";
import { writeFiles } from "../../archives/archive.ts";
import { resolveGiven } from "../../dev/resolve_locally.ts";
import { readManifest } from "../../manifest/manifest.ts";
import { findNode } from "../../programs/find_node.ts";
import { isolation } from "../../testdata/sandbox.ts";

/** The checksum of a zip, as AWS Lambda tells it of a function's code. */
export async function hashOf(zip: string): Promise<string> {
  return createHash("sha256").update(await Deno.readFile(zip)).digest("base64");
}

/** Unpacks the zip of a function, and its layer, as AWS Lambda does, and invokes the function in a sandbox. */
export async function runZip(manifestPath: string, bundles: string, name: string) {
  const folder = temporaryFolder();
  await Deno.chmod(folder, 0o755); // Functions run as another user.
  const unpack = async (zip: string, to: string) => {
    await succeed("unzip", ["-q", `${bundles}/${zip}.zip`, "-d", `${folder}/${to}`]);
    return `${folder}/${to}`;
  };
  const application = resolveGiven(await readManifest(manifestPath));
  const settings = application.functions[name]!;
  const { runtime } = settings;
  const task = await unpack(name, "task");
  const makeNode = async (runtime: NodeRuntime) => {
    const { program, client } = await findNode(runtime);
    await writeFiles(`${folder}/node`, await nodeRuntimeFiles(runtime, client));
    return { node: { program, runtime: `${folder}/node` } };
  };
  const folders = runtime === "deno"
    ? { task, layer: await unpack(`layer-${application.architecture}`, "layer") }
    : { task, ...await makeNode(runtime) };
  const log: string[] = [];
  await using pool = new FunctionPool({
    isolation: isolation!,
    log: (line) => log.push(line),
    concurrency: 1,
    idleLimit: 60_000,
    initLimit: 10_000,
  }, { settings, logFormat: application.settings.logs.format, folders });
  const { payload, failure } = await pool.invoke(new TextEncoder().encode("{}"), {});
  if (failure !== undefined) throw new Error(`${failure}\n${log.join("\n")}`);
  return JSON.parse(new TextDecoder().decode(payload));
}
