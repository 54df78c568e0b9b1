import { type NegotiatedRequest, NEGOTIATORS, type Negotiators } from "../peers/negotiators.ts";
import type { Workload } from "../workload.ts";
import { BROWSER, restEvent } from "./_events.ts";

/** Choosing and sorting by the headers of a request, with these contestants next to the usual ones. */
export function negotiation(others: readonly Negotiators[] = []): readonly Workload[] {
  const negotiators = [...NEGOTIATORS, ...others];
  return [
    workload("choosing a type for a browser", 3, "choose", negotiators, {}, "text/html"),
    workload("sorting Accept-Language", 1.3, "sort", negotiators, {}, [
      "de-CH",
      "de",
      "fr",
      "en-US",
      "en",
    ]),
    workload("8 KB of commas", 1.2, "sort", negotiators, {
      "Accept-Language": ",".repeat(8192),
    }, []),
  ];
}

function workload(
  name: string,
  aim: number,
  task: "choose" | "sort",
  negotiators: readonly Negotiators[],
  headers: Readonly<Record<string, string>>,
  expected: unknown,
): Workload {
  const request = requestOf(headers);
  return {
    name,
    aim,
    contestants: negotiators.flatMap((negotiator) => {
      const run = negotiator[task];
      return run ? [{ name: negotiator.name, run: () => run(request) }] : [];
    }),
    check: (result) => {
      const given = JSON.stringify(result);
      // One of them writes languages in lower case; it does not matter (RFC 5646 §2.1.1).
      if (given?.toLowerCase() !== JSON.stringify(expected).toLowerCase()) {
        throw new Error(`The result is ${given.slice(0, 80)}`);
      }
    },
  };
}

function requestOf(headers: Readonly<Record<string, string>>): NegotiatedRequest {
  const event = restEvent({ path: "/menu", headers: { ...BROWSER, ...headers } });
  const entries = Object.entries(event.headers);
  return {
    event,
    headers: Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value])),
  };
}
