import { dirname } from "node:path";
import { resolveApplication } from "../application/resolve.ts";
import type { ApplicationFunction } from "../application/types.ts";
import { readManifest } from "../manifest/manifest.ts";
import { hintOf } from "../manifest/nearest.ts";
import { ignorePrograms } from "../programs/find_program.ts";
import { Kept } from "../programs/kept.ts";
import { LOCAL } from "../rules/arn.ts";
import type { BundledArchive, BundleOptions } from "./app.ts";
import { checkLimits, contentsOf } from "../archives/sizes.ts";
import { writeZips } from "../archives/write_zips.ts";
import { joinZips, zipFiles } from "../archives/zips.ts";
import { bundleError, bundleFunctions } from "./functions.ts";
import { bundleOwn } from "./modules/own_modules.ts";
import { placeOf } from "../runtime/modules.ts";
import { platformOf } from "./packages/platforms.ts";

/** The server. Nothing calls `load`: it makes the module a part of the module graph, which other commands do without. */
const SERVER = {
  url: placeOf("web_listen"),
  load: () => import("../runtime/web_listen.ts"),
};

/** The only runtime and architecture of Web Functions. */
const RUNTIME = "nodejs24.x";
const ARCHITECTURE = "arm64";

/** A zip of a Web Function, and how to deploy it. */
export interface WebFunctionArchive {
  readonly archive: BundledArchive;
  /** The commands of the AWS CLI, and what they need. */
  readonly commands: string;
}

/**
 * Bundles a function with routes as a Web Function of AWS Lambda: `index.js`, which listens with the handler of the function.
 *
 * @param manifestPath The path of the manifest.
 * @param name The name of the function in the manifest.
 * @throws {Error} If the manifest has no such function, or if the function has another runtime or no route.
 */
export async function bundleWebFunction(
  manifestPath: string,
  name: string,
  options: Pick<BundleOptions, "stage" | "out" | "isMinified" | "signal" | "warn" | "source">,
): Promise<WebFunctionArchive> {
  const application = resolveApplication(await readManifest(manifestPath, options.stage), LOCAL);
  const { functions } = application;
  const settings = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (!settings) {
    throw new Error(`Unknown function "${name}": ${hintOf(name, Object.keys(functions))}`);
  }
  const refuse = (problem: string) =>
    new Error(`Cannot bundle the function "${name}" as a Web Function: ${problem}`);
  if (settings.runtime !== RUNTIME) {
    throw refuse(`its runtime is "${settings.runtime}", and a Web Function has only "${RUNTIME}"`);
  }
  const routes = application.gateway?.routes ?? [];
  if (!routes.some((route) => route.function === name)) {
    throw refuse('it has no route; name one in "triggers"."routes"');
  }
  ignorePrograms(dirname(manifestPath));
  const { isMinified, signal, warn, out } = options;
  const kept = new Kept(warn, options.source?.cache);
  const bundling = { isMinified, signal, warn, kept };
  const { functions: made, problems } = await bundleFunctions(manifestPath, application, {
    ...bundling,
    names: [name],
    platform: platformOf(ARCHITECTURE),
  });
  if (problems.size > 0) throw bundleError(problems);
  const own = { kept, signal, target: RUNTIME, isMinified: true } as const;
  const [server] = await bundleOwn([SERVER.url], own);
  const encoder = new TextEncoder();
  const files = [
    { path: "index.js", data: encoder.encode(startOf(settings.code.export)) },
    { path: "package.json", data: encoder.encode('{ "type": "module" }\n') },
    { path: "listen.mjs", data: encoder.encode(server) },
    ...made.get(name)!,
  ];
  const { pieces, zipped, unzipped } = joinZips(await zipFiles(files, kept));
  const archive = {
    name: `the Web Function "${name}"`,
    path: `${out}/${name}-web.zip`,
    zipped,
    unzipped,
    contents: contentsOf(files),
  };
  signal?.throwIfAborted();
  checkLimits([], [{ ...archive, hasLayer: false }]);
  await writeZips(out, [{ path: archive.path, pieces }]);
  return { archive, commands: commandsFor(settings, archive.path) };
}

function startOf(handler: string): string {
  return `import { listen } from "./listen.mjs";
const { ${handler}: handler } = await import("./index.mjs");
await listen(handler);
`;
}

/**
 * Writes the commands that deploy a zip.
 *
 * @see https://docs.aws.amazon.com/cli/latest/reference/lambda-web/
 */
function commandsFor({ name, timeout, code }: ApplicationFunction, path: string): string {
  const values = Object.entries(code.environment).filter(([, value]) => !value.includes("${"));
  const others = [
    ...code.variables,
    ...Object.keys(code.environment).filter((key) => code.environment[key]!.includes("${")),
  ];
  const key = `${name}.zip`;
  const build = {
    codeConfig: { s3Object: { bucket: "BUCKET", key } },
    runtimeConfig: { runtime: RUNTIME },
  };
  const service = {
    executionRoleArn: "ROLE",
    timeoutSeconds: Math.max(timeout, 3), // the least that the platform takes
    environmentVariables: { ...Object.fromEntries(values), MATE_FUNCTION_NAME: name },
  };
  const revision = { buildConfig: build, serviceConfig: service };
  const endpoint = {
    endpointName: "default",
    endpointType: "HomeRegion",
    authType: "IamAuth",
    autoDeploymentMode: "LatestRevision",
  };
  const quoted = (value: unknown) => `'${JSON.stringify(value).replaceAll("'", "'\\''")}'`;
  return `To deploy it, replace BUCKET (with versions, readable by lambda.amazonaws.com) and ROLE (the ARN of its role).
"authType": "ApplicationManaged" lets everybody call it: no gateway checks a token.

aws s3 cp ${path} s3://BUCKET/${key}
aws lambda-web create-web-function --function-name ${name} --revision-config ${
    quoted(revision)
  } --endpoint-config ${quoted(endpoint)}
aws lambda-web wait web-function-endpoint-active --function-name ${name} --endpoint-name default

New code, after the same "aws s3 cp":

aws lambda-web create-web-function-revision --function-name ${name} --build-config ${
    quoted(build)
  } --service-config ${quoted(service)}${
    others.length === 0
      ? ""
      : `\n\nAdd these to environmentVariables, with the values of your account: ${
        others.join(", ")
      }`
  }`;
}
