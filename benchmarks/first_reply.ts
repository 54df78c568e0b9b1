import { gzipSync } from "node:zlib";
import { inRounds, medians, type Row } from "./contest.ts";
import { CONTEXT, eventOf, SCRIPT } from "./events.ts";
import { ORDERS } from "./peers/service.ts";
import { bundle, type Runtime } from "./runtimes.ts";

/** The services by the names in the table. */
const SERVICES = {
  "@mate/core": "mate",
  Hono: "hono",
  "lambda-api": "lambda_api",
  Middy: "middy",
  Powertools: "powertools",
};

/** The milliseconds from the start of a process. */
interface Start {
  readonly imported: number;
  readonly replied: number;
}

/** Measures the import and the first reply of each service, each time in a process of its own. */
export async function measureFirstReply(
  folder: string,
  runtimes: readonly Runtime[],
  rounds: number,
): Promise<Row[]> {
  const event = await eventOf({
    method: "POST",
    url: "/orders",
    headers: SCRIPT,
    body: JSON.stringify(ORDERS),
  });
  const sizes: Record<string, number> = {};
  for (const [name, file] of Object.entries(SERVICES)) {
    const output = `${folder}/${file}.mjs`;
    await bundle(new URL(`peers/${file}.ts`, import.meta.url), output);
    sizes[name] = gzipSync(await Deno.readFile(output)).length / 1000;
    const program = `const event = ${JSON.stringify(event)};
      const context = { ...${JSON.stringify(CONTEXT)}, getRemainingTimeInMillis: () => 3000 };
      const start = performance.now();
      const { service } = await import("./${file}.mjs");
      const imported = performance.now() - start;
      const { body } = await service.order(event, context);
      const replied = performance.now() - start;
      if (!body.startsWith("H4sI")) throw new Error("The reply is not gzipped");
      console.log(JSON.stringify({ imported, replied }));`;
    await Deno.writeTextFile(`${folder}/${file}_start.mjs`, program);
  }
  const rows: Row[] = [
    { work: "service, minified and gzipped", unit: "KB", runtime: "", values: sizes },
  ];
  for (const { name: runtime, run } of runtimes) {
    const contestants = Object.fromEntries(
      Object.entries(SERVICES).map(([name, file]) => [
        name,
        async (): Promise<Start> => JSON.parse(await run(`${folder}/${file}_start.mjs`)),
      ]),
    );
    await inRounds(1, contestants); // the first start fills Deno's code cache
    const starts = await inRounds(rounds, contestants);
    const row = (work: string, valueOf: (start: Start) => number) => ({
      work: `fresh process: ${work}`,
      unit: "ms",
      runtime,
      values: medians(starts, valueOf),
    });
    rows.push(
      row("import", ({ imported }) => imported),
      row("import and first gzipped reply", ({ replied }) => replied),
    );
  }
  return rows;
}
