import type { Application, Behaviour } from "./cases.ts";
import type { Delivery } from "./place.ts";

/** Begins the line of the log with the event that a function got. */
const MARK = "RECORDED";

/** Writes the manifest and the modules of an application into a folder. Returns the path of the manifest. */
export async function writeApplication(
  { functions, stage = "stage", queues }: Application,
  folder: string,
  name: string,
  region?: string,
): Promise<string> {
  const settings = await Promise.all(
    Object.entries(functions).map(async ([name, { does, ...rest }]) => {
      await Deno.writeTextFile(`${folder}/${name}.js`, moduleOf(does));
      return [name, { ...rest, module: `${name}.js` }] as const;
    }),
  );
  const manifest = { name, stage, region, functions: Object.fromEntries(settings), queues };
  await Deno.writeTextFile(`${folder}/app.json`, JSON.stringify(manifest));
  return `${folder}/app.json`;
}

function moduleOf(does: Behaviour): string {
  return `let calls = 0;
export function handler(event, context) {
  calls++;
  console.log("${MARK} " + JSON.stringify({ requestId: context.awsRequestId, event }));
  ${does.logs === undefined ? "" : `console.log(${JSON.stringify(does.logs)});`}
  ${actionOf(does)}
}
`;
}

function actionOf(does: Behaviour): string {
  if (does.throws !== undefined) {
    const { name, message } = does.throws;
    return `throw Object.assign(new Error(${JSON.stringify(message)}), { name: ${
      JSON.stringify(name)
    } });`;
  }
  if (does.throwsOnce) return 'if (calls === 1) throw new Error("The first call fails");';
  if (does.answersEvent) return "return { statusCode: 200, body: JSON.stringify(event) };";
  if (does.returnsContext) return "return { ...context };";
  if (does.returnsRequestId) return "return context.awsRequestId;";
  if (does.returnsNothing) return "return;";
  if (does.returnsLetters !== undefined) return `return "a".repeat(${does.returnsLetters});`;
  if ("returns" in does) return `return ${JSON.stringify(does.returns)};`;
  if (does.echoes) return "return event;";
  throw new TypeError(`Unknown behaviour of a function: ${JSON.stringify(does)}`);
}

/** Reads the event that a function got from a line of its log. Other lines have none. */
export function deliveryOf(functionName: string, line: string): Delivery | undefined {
  const start = line.indexOf(`${MARK} {`);
  if (start < 0) return undefined;
  return { functionName, ...JSON.parse(line.slice(start + MARK.length)) };
}
