import { curlCommand, examplePath } from "../application/invoking.ts";
import type { Gateway } from "../application/types.ts";

/** The URLs and the names of a deployed application. */
export interface Outputs extends
  Readonly<
    Record<
      "functions" | "log_groups" | "urls" | "buckets" | "topics" | "queues" | "tables",
      Record<string, string>
    >
  > {
  /** The URL of the gateway; `null` without routes. */
  readonly base_url: string | null;
}

/** Prints the URLs and the names of a deployed application, with a request to try for each route. */
export function printOutputs(
  { base_url, urls, buckets, topics, queues, tables }: Outputs,
  gateway: Gateway | undefined,
  print: (line: string) => void,
): void {
  if (base_url !== null) {
    const requests = (gateway?.routes ?? [])
      .map(({ method, path }) => curlCommand(method, base_url + examplePath(path)));
    print(`\nBase URL: ${base_url}\n\n${requests.join("\n")}\n`);
  }
  for (
    const [kind, names] of Object.entries({
      URL: urls,
      Bucket: buckets,
      Topic: topics,
      Queue: queues,
      Table: tables,
    })
  ) {
    for (const [key, name] of Object.entries(names)) print(`${kind} ${key}: ${name}`);
  }
}
