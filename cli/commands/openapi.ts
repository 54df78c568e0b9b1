import { UsageError } from "../manifest/nearest.ts";
import { isObject } from "../rules/json_object.ts";
import { visibleJson } from "../rules/visible_text.ts";
import { type Command, defineCommand, MANIFEST, STAGE } from "./command.ts";

/** `mate openapi` */
export const openapi: Command = defineCommand({
  name: "openapi",
  arguments: ["[MANIFEST]"],
  summary: "Prints the OpenAPI document of the described API",
  details:
    `MANIFEST is ${MANIFEST} by default. Its key "api" names the module that exports the description "api", and may
export "document", options of openApi(). The version is that of deno.json or package.json.`,
  options: {
    stage: STAGE,
    url: { value: "URL", description: "The URL of the stage, if the manifest has no domain" },
    security: {
      value: "FILE",
      description: "The security schemes by the names of the authorizers, as JSON",
    },
    out: { value: "FILE", description: "Write the document to this file" },
  },
  async run([manifestPath = MANIFEST], { stage, url, security, out }, { signal, print, note }) {
    if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
      throw new UsageError(`Invalid --url "${url}": expected a URL such as https://api.example/v1`);
    }
    const { readManifest } = await import("../manifest/manifest.ts");
    const { describeApi } = await import("../bundle/api/describe_api.ts");
    const { placeholdersIn } = await import("../manifest/variables.ts");
    const { resolveApplication } = await import("../application/resolve.ts");
    const { LOCAL } = await import("../rules/arn.ts");
    const { Kept } = await import("../programs/kept.ts");
    const application = resolveApplication(await readManifest(manifestPath, stage), LOCAL);
    const securitySchemes = security === undefined ? undefined : await readSchemes(security);
    const { domain } = application.settings;
    // Only a deployment knows an output of infra.
    const isKnown = domain !== undefined && placeholdersIn(domain.name).length === 0;
    const server = isKnown ? `https://${domain.name}` : url;
    if (url !== undefined && server !== url) {
      note(`Warning: "--url" is not used, because the manifest has the domain of ${server}`);
    }
    const described = await describeApi({
      manifestPath,
      application,
      url: server,
      securitySchemes,
      kept: new Kept(note),
      signal,
    });
    if (described === undefined) {
      throw new Error(
        `Cannot describe the API of "${manifestPath}": name the module of its description in the key "api"`,
      );
    }
    const { document, warnings } = described;
    for (const warning of warnings) note(`Warning: ${warning}`);
    const json = JSON.stringify(document, undefined, 2);
    if (out === undefined) print(visibleJson(json));
    else await write(out, `${json}\n`);
  },
});

/** Reads the security schemes of a document. `openApi()` does not check them further. */
async function readSchemes(path: string): Promise<Record<string, Record<string, never>>> {
  const problem = (detail: string, cause?: unknown) =>
    new Error(`Cannot read the security schemes "${path}": ${detail}`, { cause });
  let value: unknown;
  try {
    value = JSON.parse(await Deno.readTextFile(path));
  } catch (error) {
    throw problem((error as Error).message, error);
  }
  if (isObject(value) && Object.values(value).every(isObject)) return value as never;
  throw problem('expected an object such as { "check": { "type": "http", "scheme": "bearer" } }');
}

async function write(path: string, text: string): Promise<void> {
  try {
    await Deno.writeTextFile(path, text);
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`Cannot write the document to "${path}": ${message}`, { cause: error });
  }
}
