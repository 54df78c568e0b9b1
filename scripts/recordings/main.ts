/**
 * Runs the recorded cases against the platform: `deno run -A scripts/recordings/main.ts [service or id of a case …]`. The
 * option `--write` writes docs/fidelity.md.
 *
 * @module
 */
import { readCases, recordingsFolder } from "./cases.ts";
import { fidelityPage, PAGE } from "./fidelity.ts";
import { local } from "./local.ts";
import { runAll } from "./run_all.ts";
import { summary } from "./summary.ts";

const folder = recordingsFolder();
const cases = await readCases(folder);
if (cases === undefined) {
  console.error(
    `There are no recordings in ${folder.pathname}: name their folder by MATE_RECORDINGS`,
  );
  Deno.exit(2);
}
const writes = Deno.args.includes("--write");
const names = Deno.args.filter((name) => name !== "--write");
if (writes && names.length > 0) {
  console.error("Cannot write docs/fidelity.md: it needs all cases, so name none");
  Deno.exit(2);
}
const wanted = cases.filter(({ id, service }) =>
  names.length === 0 || names.some((name) => name === service || id.startsWith(name))
);
const results = await runAll(wanted, local);
for (const { case: { id, notClaimed }, operations } of results) {
  const found = [...operations].flatMap(([operation, list]) =>
    list.map((difference) => `    ${operation}: ${difference}`)
  );
  if (found.length === 0) continue;
  console.log(`${id}${notClaimed === undefined ? "" : ` (not claimed: ${notClaimed})`}`);
  console.log(found.join("\n"));
}
console.log(summary(results));
if (writes) await Deno.writeTextFile(PAGE, fidelityPage(results));
Deno.exit(0); // A client of the SDK may keep a connection open.
