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

/** Makes a folder for applications. */
export function makeFolder(): string {
  const folder = Deno.makeTempDirSync({ prefix: "mate-recorded-" });
  Deno.writeTextFileSync(`${folder}/recorded.js`, MODULE);
  return folder;
}

/** Writes the manifest of an application into such a folder. Returns its path. */
export async function writeApplication(
  { functions: all, stage = "stage", queues }: Application,
  folder: string,
  name: string,
): Promise<string> {
  const functions = Object.fromEntries(
    Object.entries(all).map(([name, { does, ...rest }]) => [
      name,
      { ...rest, module: "recorded.js", environment: { DOES: JSON.stringify(does) } },
    ]),
  );
  const path = `${folder}/app-${crypto.randomUUID()}.json`;
  await Deno.writeTextFile(path, JSON.stringify({ name, stage, functions, queues }));
  return path;
}

/** Reads the event that a function got from a line of its log. Other lines have none. */
export function deliveryOf(functionName: string, line: string): Delivery | undefined {
  const start = line.indexOf(`${MARK} {`);
  if (start < 0) return undefined;
  return { functionName, ...JSON.parse(line.slice(start + MARK.length)) };
}
