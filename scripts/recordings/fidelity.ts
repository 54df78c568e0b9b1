/**
 * The page docs/fidelity.md: how many recorded cases of each operation the platform answers as the service did.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { formatMarkdown, tableOf } from "../markdown.ts";
import type { Case } from "./cases.ts";
import { KNOWN_DIFFERENCES, type KnownDifference } from "./known_differences.ts";
import type { Result } from "./run.ts";
import { isEqual, type Score, scoresOf } from "./summary.ts";

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

/** Returns a digest of the cases. It tells whether a page was made from the same recordings. */
export function digestOf(cases: readonly Case[]): string {
  const text = JSON.stringify(cases.map(({ id }) => id).sort());
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

/** Reads the digest of the recordings that a page was made from. */
export function digestOfPage(page: string): string | undefined {
  return /set\s+`([\da-f]{12})`/.exec(page)?.[1];
}

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
  const rows = [...scores].flatMap(([service, score]) => [
    [`**${NAMES[service] ?? service}**`, share(score)],
    ...[...score.operations].sort().map(([operation, one]) => [operation, share(one)]),
  ]);
  const reasons = Map.groupBy(notClaimed, (result) => result.case.notClaimed!);
  const kept = Map.groupBy(KNOWN_DIFFERENCES, ({ service }) => service);
  const differencesOf = ([service, list]: [string, readonly KnownDifference[]]) => [
    `### ${NAMES[service] ?? service}`,
    list.map(({ sentence }) => `- ${sentence}`).join("\n"),
  ];
  const notes = [...reasons].map(([reason, { length }]) =>
    `- ${length} ${length === 1 ? "case" : "cases"}: ${reason}.`
  );
  const digest = digestOf(results.map((result) => result.case));
  return formatMarkdown(`# How true the platform is

The project LocalStack sent requests to AWS and kept the answers. These recordings are held against
the local platform. Each request goes through the client of the AWS SDK, or as raw HTTP, and each
answer is compared with the answer of the real service. ${equal} of ${total} cases are equal.

The recordings are not part of the repository. The tests of each rule are beside its code, and need
no recordings. The command \`deno task recordings --write\` makes this page, from the set
\`${digest}\`. A test fails if fewer than 95 % of the cases of a service are equal, or if this page
says something else than the recordings.

A case counts for every operation whose answer it compares. Identifiers, dates and signatures are
not compared.

${tableOf([["service and operation", "equal cases / cases"], ...rows])}

## Known differences

A request that the platform does not emulate gets 501 and the name of the operation, the parameter
or the header field. So nothing runs as something else.

${[...kept].flatMap(differencesOf).join("\n\n")}

## Recorded, but not promised

${notes.join("\n")}

## The same requests to your account

With the option \`--account\`, the same requests go to AWS. [Recordings](recordings.md) says what
this makes and removes.
`);
}

function share({ equal, total }: Score): string {
  return `${equal} / ${total}`;
}
