import { UsageError } from "../arguments.ts";
import { type Command, defineCommand, MANIFEST } from "./command.ts";

/** `mate bundle` */
export const bundle: Command = defineCommand({
  name: "bundle",
  arguments: ["[MANIFEST]"],
  summary: "Makes the zips of an application for AWS Lambda",
  details:
    `MANIFEST is ${MANIFEST} by default. The zips are layer-<architecture>.zip with Deno and the runtime, and
<function>.zip for each function. Deno comes from the npm registry, or the registry in NPM_CONFIG_REGISTRY.`,
  options: {
    out: {
      type: "string",
      value: "FOLDER",
      default: "dist",
      description: "The folder of the zips",
    },
    arch: {
      type: "string",
      value: "NAME",
      description: "x86_64, arm64 or both (the manifest's architecture)",
    },
    minify: { type: "boolean", description: "Shorten names and white space" },
    "no-cache": {
      type: "boolean",
      description: "Leave out the code cache, which makes functions start faster",
    },
    analyze: { type: "boolean", description: "Print what each function's zip is made of" },
    json: { type: "boolean", description: "Print the zips as JSON" },
  },
  async run([manifest = MANIFEST], values, { signal, print, note }) {
    const { bundleApp } = await import("../bundle/app.ts");
    const { ARCHITECTURES } = await import("../bundle/deno_binary.ts");
    const { arch, out } = values;
    const architectures = ARCHITECTURES.filter((name) => [name, "both"].includes(arch ?? ""));
    if (arch !== undefined && architectures.length === 0) {
      throw new UsageError(`Invalid --arch "${arch}": expected x86_64, arm64 or both`);
    }
    const archives = await bundleApp(manifest, {
      out,
      ...(arch === undefined ? {} : { architectures }),
      isMinified: values.minify,
      hasCache: !values["no-cache"],
      signal,
      warn: (message) => note(`Warning: ${message}`),
      ...(Deno.stderr.isTerminal() ? { progress: note } : {}),
    });
    if (values.json) {
      print(JSON.stringify(archives, undefined, 2));
      return true;
    }
    const { describe } = await import("./bundle_report.ts");
    print(describe(archives, values.analyze));
    return true;
  },
});
