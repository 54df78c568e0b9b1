/**
 * Runs the recorded cases: `deno run -A scripts/recordings/main.ts [--write | --account] [service or id of a case …]`.
 *
 * Without an option, the cases run against the platform of this machine. With `--write`, the command also writes
 * the numbers into docs/fidelity.md. With `--account`, the cases run against AWS. docs/recordings.md says what that makes and removes.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { accountPlace, REGION } from "./account.ts";
import { readCases, recordingsFolder } from "./cases.ts";
import { fidelityPage, PAGE, summaryOf } from "./fidelity.ts";
import { local } from "./local.ts";
import { runAll } from "./run.ts";

/** The number of cases at a time in an account, because an account has limits for each second. */
const ACCOUNT_CONCURRENCY = 2;

const { values, positionals: names } = parseArgs({
  options: { account: { type: "boolean" }, write: { type: "boolean" } },
  allowPositionals: true,
});

function end(message: string): never {
  console.error(message);
  Deno.exit(2);
}

const cases = await readCases(recordingsFolder());
if (values.write && (values.account || names.length > 0)) {
  end("Cannot write docs/fidelity.md: it needs all cases on this machine, so give only --write");
}
const wanted = cases.filter(({ id, service }) =>
  names.length === 0 || names.some((name) => name === service || id.startsWith(name))
);
if (wanted.length === 0) end(`No case is of the service or has the id ${names.join(", ")}`);
const prefix = `mate-recorded-${crypto.randomUUID().slice(0, 6)}`;
if (values.account) {
  console.error(`Everything that the cases make in ${REGION} has a name with "${prefix}"`);
}
const results = values.account
  ? await runAll(wanted, accountPlace(prefix), ACCOUNT_CONCURRENCY)
  : await runAll(wanted, local);
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
  await Deno.writeTextFile(PAGE, await fidelityPage(await Deno.readTextFile(PAGE), results));
}
Deno.exit(0); // A client of the SDK may keep a connection open.
