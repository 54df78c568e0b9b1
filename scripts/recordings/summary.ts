import type { Result } from "./run.ts";

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
