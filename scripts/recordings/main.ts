/**
 * Runs the recorded cases: `deno run -A scripts/recordings/main.ts [--write] [service or id of a case …]`. With
 * `--write`, the command also writes the numbers into docs/fidelity.md.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { succeed } from "../../testdata/programs.ts";
import { readCases } from "./cases.ts";
import { fidelityPage, PAGE, summaryOf } from "./fidelity.ts";
import { runAll } from "./run.ts";

const { values, positionals: names } = parseArgs({
  options: { write: { type: "boolean" } },
  allowPositionals: true,
});

function end(message: string): never {
  console.error(message);
  Deno.exit(2);
}

const cases = readCases();
if (values.write && names.length > 0) {
  end("Cannot write docs/fidelity.md: it needs all cases, so give only --write");
}
const wanted = cases.filter(({ id, service }) =>
  names.length === 0 || names.some((name) => name === service || id.startsWith(name))
);
if (wanted.length === 0) end(`No case is of the service or has the id ${names.join(", ")}`);
const results = await runAll(wanted);
for (const { case: { id, notClaimed }, operations } of results) {
  const found = [...operations].flatMap(([operation, list]) =>
    list.map((difference) => `    ${operation}: ${difference}`)
  );
  if (found.length === 0) continue;
  console.log(`${id}${notClaimed === undefined ? "" : ` (not claimed: ${notClaimed})`}`);
  console.log(found.join("\n"));
}
const { lines, sentence } = summaryOf(results);
console.log(`${lines}\n${sentence}`);
if (values.write) {
  await Deno.writeTextFile(PAGE, fidelityPage(await Deno.readTextFile(PAGE), results));
  await succeed(Deno.execPath(), ["fmt", "--quiet", PAGE.pathname]);
}
Deno.exit(0); // A client of the SDK may keep a connection open.
