import manifestSchema from "../manifest/schema.json" with { type: "json" };
import { type Command, defineCommand } from "./command.ts";

/** `mate schema` */
export const schema: Command = defineCommand({
  name: "schema",
  arguments: [],
  summary: "Prints the JSON Schema of the manifest, for editors",
  options: {},
  run(_positionals, _values, { print }) {
    print(JSON.stringify(manifestSchema, undefined, 2));
    return Promise.resolve();
  },
});
