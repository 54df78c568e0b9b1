/**
 * The page docs/fidelity.md: how many recorded cases of each operation the platform answers as the service did.
 *
 * @module
 */
import { KNOWN_DIFFERENCES, type KnownDifference } from "./known_differences.ts";
import type { Result } from "./run.ts";

export const PAGE = new URL("../../docs/fidelity.md", import.meta.url);

const NAMES: Readonly<Record<string, string>> = {
  "all": "All services",
  "api-gateway": "Amazon API Gateway (REST API)",
  "dynamodb": "Amazon DynamoDB",
  "event-patterns": "Event patterns of Amazon EventBridge",
  "events": "Amazon EventBridge",
  "function-url": "Lambda function URLs",
  "lambda": "AWS Lambda Invoke",
  "queue-to-lambda": "Amazon SQS to AWS Lambda",
  "s3": "Amazon S3",
  "s3-notifications": "Notifications of Amazon S3",
  "schedules": "Schedules of Amazon EventBridge",
  "sns": "Amazon SNS",
  "sns-filters": "Filter policies of Amazon SNS",
  "sqs": "Amazon SQS",
};

/** Lists what the page would not say: cases that differ without a sentence, and sentences whose cases are equal. */
export function unexplained(results: readonly Result[]): readonly string[] {
  const explained = new Set(KNOWN_DIFFERENCES.flatMap(({ cases = [] }) => cases));
  return results.filter(({ case: { notClaimed } }) => notClaimed === undefined)
    .flatMap((result) => {
      const { id } = result.case;
      if (isEqual(result)) {
        return explained.has(id) ? [`${id} is equal, but it is a known difference`] : [];
      }
      const found = [...result.operations.values()].flat().join("; ");
      return explained.has(id) ? [] : [`${id} differs: ${found}`];
    });
}

/** Writes the page. */
export function fidelityPage(results: readonly Result[]): Promise<string> {
  const scores = scoresOf(results);
  const notClaimed = results.filter((result) => result.case.notClaimed !== undefined);
  const total = [...scores.values()].reduce((sum, score) => sum + score.total, 0);
  const equal = [...scores.values()].reduce((sum, score) => sum + score.equal, 0);
  const lines = [...scores].map(([service, score]) => {
    const operations = [...score.operations].sort().map(([name, one]) =>
      one.equal < one.total ? `${name} (${share(one)})` : name
    );
    return `- **${NAMES[service] ?? service}** ${share(score)}: ${operations.join(", ")}`;
  });
  const reasons = Map.groupBy(notClaimed, (result) => result.case.notClaimed!);
  const kept = Map.groupBy(KNOWN_DIFFERENCES, ({ service }) => service);
  const differencesOf = ([service, list]: [string, readonly KnownDifference[]]) =>
    `**${NAMES[service] ?? service}**\n\n${list.map(({ sentence }) => `- ${sentence}`).join("\n")}`;
  const notes = [...reasons].map(([reason, { length }]) =>
    `- ${length} ${length === 1 ? "case" : "cases"}: ${reason}.`
  );
  return formatMarkdown(`# How true the platform is

The project LocalStack sent requests to AWS and kept the answers. The local platform gets the same requests, and its answers are compared with those of AWS. ${equal} of ${total} cases are equal.

An operation has a number if some of its cases differ. Identifiers, dates and signatures are not compared. [\`deno task recordings --write\`](recordings.md) makes this page, and a test checks it.

## Equal cases of all cases

${lines.join("\n")}

## Known differences

A request that the platform does not emulate gets 501 and the name of the operation, the parameter
or the header field.

${[...kept].map(differencesOf).join("\n\n")}

## Recorded, but not promised

${notes.join("\n")}
`);
}

function share({ equal, total }: Score): string {
  return `${equal}/${total}`;
}

/** A number of equal cases among all cases. */
export interface Score {
  equal: number;
  total: number;
}

/** The scores of a service. Only cases that the platform claims count. */
export interface ServiceScore extends Score {
  readonly operations: ReadonlyMap<string, Score>;
}

export function isEqual({ operations }: Result): boolean {
  return [...operations.values()].every((found) => found.length === 0);
}

/** Counts the cases of each service. A case counts for every operation whose answer it checks. */
export function scoresOf(results: readonly Result[]): ReadonlyMap<string, ServiceScore> {
  const claimed = results.filter((result) => result.case.notClaimed === undefined);
  const services = Map.groupBy(claimed, (result) => result.case.service);
  return new Map([...services].map(([service, cases]) => {
    const operations = new Map<string, Score>();
    for (const [name, found] of cases.flatMap((result) => [...result.operations])) {
      const score = operations.get(name) ?? { equal: 0, total: 0 };
      operations.set(name, score);
      score.total++;
      if (found.length === 0) score.equal++;
    }
    return [service, { equal: cases.filter(isEqual).length, total: cases.length, operations }];
  }));
}

/** Writes the scores of the services and operations as lines of text. */
export function summary(results: readonly Result[]): string {
  const scores = scoresOf(results);
  const line = (name: string, { equal, total }: Score) =>
    `${`${equal}/${total}`.padStart(8)}  ${name}`;
  const lines = [...scores].flatMap(([service, score]) => [
    line(service, score),
    ...[...score.operations].sort().map(([name, one]) => line(`    ${name}`, one)),
  ]);
  const all = [...scores.values()];
  const sum = (key: keyof Score) => all.reduce((total, score) => total + score[key], 0);
  return [...lines, line("all claimed cases", { equal: sum("equal"), total: sum("total") })].join(
    "\n",
  );
}

/** Formats Markdown as the files of the repository are formatted. */
async function formatMarkdown(text: string): Promise<string> {
  const config = new URL("../../deno.json", import.meta.url).pathname;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["fmt", "--ext=md", `--config=${config}`, "-"],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  await new Response(text).body!.pipeTo(child.stdin);
  return new TextDecoder().decode((await child.output()).stdout);
}
