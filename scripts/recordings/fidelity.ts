/**
 * The numbers of the page docs/fidelity.md: how many recorded cases of each operation the platform answers as the service did.
 * The rest of the page is written by hand.
 *
 * @module
 */
import { isClaimed, isEqual, type Result } from "./run.ts";

export const PAGE = new URL("../../docs/fidelity.md", import.meta.url);

const NAMES: Readonly<Record<string, string>> = {
  "api-gateway": "Amazon API Gateway (REST API)",
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

/** Lists the cases that differ although the docs promise them. */
export function unexpected(results: readonly Result[]): readonly string[] {
  return results.filter((result) => isClaimed(result) && !isEqual(result)).map((result) =>
    `${result.case.id} differs: ${[...result.operations.values()].flat().join("; ")}`
  );
}

/** Puts the results into the text of the page. */
export function fidelityPage(page: string, results: readonly Result[]): string {
  const { lines, sentence } = summaryOf(results);
  const others = results.filter((result) => !isClaimed(result));
  const notes = [...Map.groupBy(others, (result) => result.case.notClaimed!)]
    .map(([reason, { length }]) => `- ${length} ${length === 1 ? "case" : "cases"}: ${reason}.`);
  let text = page;
  for (
    const [pattern, found] of [
      [/\d+ of \d+ cases are equal\./, sentence],
      [/(?<=## Equal cases of all cases\n)[^]*?(?=\n## )/, `\n${lines}\n`],
      [/(?<=## Recorded, but not promised\n)[^]*$/, `\n${notes.join("\n")}\n`],
    ] as const
  ) {
    if (!pattern.test(text)) throw new Error(`The page has no place for ${pattern}`);
    text = text.replace(pattern, () => found);
  }
  return text;
}

/** What the page says of all cases, and a line for each service. An operation has a number if some of its cases differ. */
export function summaryOf(results: readonly Result[]): { sentence: string; lines: string } {
  const scores = [...scoresOf(results)];
  const lines = scores.map(([service, score]) => {
    const operations = [...score.operations].sort().map(([name, one]) =>
      one.equal < one.total ? `${name} (${share(one)})` : name
    );
    return `- **${NAMES[service] ?? service}** ${share(score)}: ${operations.join(", ")}`;
  });
  const sum = (key: "equal" | "total") => scores.reduce((all, [, score]) => all + score[key], 0);
  const sentence = `${sum("equal")} of ${sum("total")} cases are equal.`;
  return { sentence, lines: lines.join("\n") };
}

function share({ equal, total }: Score): string {
  return `${equal}/${total}`;
}

/** A number of equal cases among all cases. */
interface Score {
  equal: number;
  total: number;
}

/** The scores of a service. Only cases that the platform claims count. */
interface ServiceScore extends Score {
  readonly operations: ReadonlyMap<string, Score>;
}

/** Counts the cases of each service. A case counts for every operation whose answer it checks. */
export function scoresOf(results: readonly Result[]): ReadonlyMap<string, ServiceScore> {
  const services = Map.groupBy(results.filter(isClaimed), (result) => result.case.service);
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
