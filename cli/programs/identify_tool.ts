import { resolve } from "node:path";
import config from "../deno.json" with { type: "json" };
import { keyOf } from "./kept.ts";

let tool: string | undefined;

/**
 * Identifies the tool with its packages, the Deno that runs it, and the kind of machine. A checkout is identified by the times
 * and sizes of its sources. Returns `undefined` if this process may not read them.
 */
export function identifyTool(): string | undefined {
  try {
    return tool ??= keyOf(
      config.version,
      Deno.version,
      Deno.build.target,
      import.meta.dirname === undefined ? [] : sourcesIn(resolve(import.meta.dirname, "..")),
    );
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
}

/** The sources that decide what a result is. */
function sourcesIn(cli: string): string[] {
  const rooms = ["archives", "bundle", "lambda/isolation", "lambda/node", "manifest", "runtime"];
  const files = [...rooms, "starts"].flatMap((room) => filesIn(resolve(cli, room)));
  return files.filter((file) => /(?<!_test)\.[jt]s$/.test(file)).sort().map((file) => {
    const { mtime, ctime, size } = Deno.statSync(file); // Reading all of them would take long.
    return `${file} ${mtime?.getTime()} ${ctime?.getTime()} ${size}`;
  });
}

function filesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) =>
    isDirectory ? filesIn(`${folder}/${name}`) : [`${folder}/${name}`]
  );
}
