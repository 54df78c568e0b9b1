import { type Command, defineCommand } from "./command.ts";

/** `mate schema` */
export const schema: Command = defineCommand({
  name: "schema",
  arguments: [],
  summary: "Prints the JSON Schema of the manifest, for editors",
  options: {},
  async run(_positionals, _values, { print }) {
    const { manifestSchema } = await import("../manifest/manifest.ts");
    print(JSON.stringify(manifestSchema(), undefined, 2));
    return true;
  },
});
