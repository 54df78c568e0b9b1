import { temporaryFolder } from "../../testdata/programs.ts";
import type { Application } from "./cases.ts";

/** An event that a function got. */
export interface Delivery {
  readonly functionName: string;
  readonly requestId: string;
  readonly event: unknown;
}

/** Begins the line of the log with the event that a function got. */
const MARK = "RECORDED";

/** The module of all functions. The variable `DOES` says what a function does, so that one bundle serves every case. */
const MODULE = `const does = JSON.parse(Deno.env.get("DOES"));
let calls = 0;
export function handler(event, context) {
  calls++;
  console.log("${MARK} " + JSON.stringify({ requestId: context.awsRequestId, event }));
  if (does.logs !== undefined) console.log(does.logs);
  if (does.throws) {
    throw Object.assign(new Error(does.throws.message), { name: does.throws.name });
  }
  if (does.throwsOnce && calls === 1) throw new Error("The first call fails");
  if (does.answersEvent) return { statusCode: 200, body: JSON.stringify(event) };
  if (does.returnsContext) return { ...context };
  if (does.returnsRequestId) return context.awsRequestId;
  if (does.returnsLetters !== undefined) return "a".repeat(does.returnsLetters);
  if ("returns" in does) return does.returns;
  if (does.echoes) return event;
  if (!does.returnsNothing && !does.throwsOnce) throw new Error("Unknown behaviour: " + Object.keys(does));
}
`;

/** The folder of all applications. So the module of their functions is bundled once, and kept. */
const FOLDER = temporaryFolder();
Deno.writeTextFileSync(`${FOLDER}/recorded.js`, MODULE);

/** Writes the manifest of an application. Returns its path. */
export async function writeApplication(
  { functions: all, stage = "stage", queues }: Application,
): Promise<string> {
  const functions = Object.fromEntries(
    Object.entries(all).map(([name, { does, ...rest }]) => [
      name,
      { ...rest, module: "recorded.js", environment: { DOES: JSON.stringify(does) } },
    ]),
  );
  const path = `${FOLDER}/app-${crypto.randomUUID()}.json`;
  await Deno.writeTextFile(path, JSON.stringify({ name: "recorded", stage, functions, queues }));
  return path;
}

/** Reads the event that a function got from a line of its log. Other lines have none. */
export function deliveryOf(functionName: string, line: string): Delivery | undefined {
  const start = line.indexOf(`${MARK} {`);
  if (start < 0) return undefined;
  return { functionName, ...JSON.parse(line.slice(start + MARK.length)) };
}
