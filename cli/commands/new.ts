import { basename, join, resolve } from "node:path";
import { UsageError } from "../arguments.ts";
import config from "../deno.json" with { type: "json" };
import { templateOf } from "../template/template.ts";
import { type Command, defineCommand } from "./command.ts";

/** `mate new` */
export const newApp: Command = defineCommand({
  name: "new",
  arguments: ["FOLDER"],
  summary: "Makes an application with one function and its test",
  details: "The application has the name of the folder, which must be new or empty.",
  options: {},
  async run([folder = ""], _values, { print }) {
    const name = basename(resolve(folder));
    if (!/^[a-z][a-z0-9-]{0,39}$/.test(name)) {
      throw new UsageError(
        `Invalid name "${name}": expected a lower-case letter, then up to 39 lower-case letters, digits or hyphens`,
      );
    }
    await makeEmpty(folder);
    for (const [path, text] of Object.entries(templateOf(name, config.version))) {
      await Deno.writeTextFile(join(folder, path), text, { createNew: true });
      print(`Wrote ${join(folder, path)}`);
    }
    print(`\nNext: cd ${folder} && deno task dev`);
    return true;
  },
});

async function makeEmpty(folder: string): Promise<void> {
  try {
    await Deno.mkdir(folder, { recursive: true });
    for await (const { name } of Deno.readDir(folder)) throw new Error(`it contains "${name}"`);
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`Cannot make the application in "${folder}": ${message}`, { cause: error });
  }
}
