import hapi from "npm:@hapi/accept@6.0.3";
import { accepts as honoAccepts } from "npm:hono@4.13.19/accepts";
import { parseAccept } from "npm:hono@4.13.19/utils/accept";
import Negotiator from "npm:negotiator@1.1.0";
import { determineContentType, FnProxyEvent } from "../gateway/mod.ts";
import type { Workload } from "./contest.ts";
import { BROWSER, eventOf, type HttpEvent } from "./events.ts";

/** Every contestant starts with the event. Its headers have the names that the client wrote. */
type Contestant = (event: HttpEvent) => unknown;

const TYPES = ["application/json", "text/html"];
const OPTIONS = { customTransformers: { "text/html": () => ["", "text/html"] as const } };

/** Choose one of {@linkcode TYPES} by the `Accept` header. */
const CHOOSE: Record<string, Contestant> = {
  "@mate/core": (event) => determineContentType(new FnProxyEvent(event), OPTIONS),
  negotiator: (event) => new Negotiator({ headers: pick(event, "accept") }).mediaType([...TYPES]),
  "hono/accepts": (event) =>
    honoAccepts({ req: { header: (name: string) => pick(event, name)[name] } } as never, {
      header: "accept" as never,
      supports: TYPES,
      default: "",
    }),
  "@hapi/accept": (event) => hapi.mediaType(pick(event, "accept")["accept"], TYPES),
};

/** Sort the languages of the `Accept-Language` header, best first. */
const SORT: Record<string, Contestant> = {
  "@mate/core": (event) => new FnProxyEvent(event).headerSortedPreferences("Accept-Language"),
  negotiator: (event) => new Negotiator({ headers: pick(event, "accept-language") }).languages(),
  "hono/accepts": (event) =>
    parseAccept(pick(event, "accept-language")["accept-language"]!).map((it) => it.type),
  "@hapi/accept": (event) => hapi.languages(pick(event, "accept-language")["accept-language"]),
};

/** The header of one name, in lower case. */
function pick({ headers }: HttpEvent, name: string): Record<string, string> {
  const key = Object.keys(headers).find((key) => key.toLowerCase() === name);
  return key === undefined ? {} : { [name]: headers[key]! };
}

/** Those that do not refuse empty parameters. */
const { "@hapi/accept": _, ...LENIENT } = SORT;

/** Languages of 8 KB, all of equal weight. */
const MEMBERS = Array.from({ length: 1365 }, (_, index) => `${100_000 + index}`);

/** Workloads that read one header. */
export const negotiation: readonly Workload[] = [
  await workload("choose a type for a browser", CHOOSE, {}, "text/html"),
  await workload("sort Accept-Language", SORT, {}, ["de-CH", "de", "fr", "en-US", "en"]),
  await workload("8 KB of commas", SORT, { "Accept-Language": ",".repeat(8192) }, []),
  await workload("8 KB of members", SORT, { "Accept-Language": MEMBERS.join() }, MEMBERS),
  await workload("8 KB of semicolons", LENIENT, { "Accept-Language": `de${";".repeat(8190)}` }, [
    "de",
  ]),
];

async function workload(
  name: string,
  contestants: Record<string, Contestant>,
  headers: Readonly<Record<string, string>>,
  expected: unknown,
): Promise<Workload> {
  const event = await eventOf({ url: "/menu", headers: { ...BROWSER, ...headers } });
  return {
    name,
    contestants: Object.fromEntries(
      Object.entries(contestants).map(([name, run]) => [name, () => run(event)]),
    ),
    check: (result) => {
      // @hapi/accept gives languages in lower case, which means the same (RFC 5646 §2.1.1).
      const given = JSON.stringify(result)?.toLowerCase();
      if (given !== JSON.stringify(expected).toLowerCase()) {
        throw new Error(`the result is ${given?.slice(0, 80)}`);
      }
    },
  };
}

/** Headers that a hostile client may send. */
const HOSTILE: readonly ((length: number) => string)[] = [
  (length) => ",".repeat(length),
  (length) => "a" + ";b=c".repeat(length / 4),
  (length) => 'a;b="' + "\\".repeat(length),
  (length) => "a" + " ".repeat(length) + "a",
  (length) => "*/*,".repeat(length / 4),
  (length) => Array.from({ length: length / 8 }, (_, i) => `a${1e6 + i}`).join(),
  (length) => Array.from({ length: length / 32 }, (_, i) => ofOneHash(i)).join(),
];

/** A value of 30 characters with the same simple hash as every other, as "Aa" and "BB" have. */
function ofOneHash(index: number): string {
  const bits = index.toString(2).padStart(15, "0");
  return bits.replace(/0/g, "Aa").replace(/1/g, "BB");
}

/** How many times longer `@mate/core` takes for 512 KB than for 32 KB, at worst. Linear time is 16. */
export async function hostileGrowth(): Promise<number> {
  const growths = await Promise.all(HOSTILE.map(async (make) => {
    return await fastest(make(512 * 1024)) / await fastest(make(32 * 1024));
  }));
  return Math.max(...growths);
}

/** The milliseconds of the fastest of ten calls. */
async function fastest(value: string): Promise<number> {
  const event = await eventOf({ url: "/", headers: { "Accept-Language": value } });
  return Math.min(...Array.from({ length: 10 }, () => {
    const start = performance.now();
    SORT["@mate/core"]!(event);
    return performance.now() - start;
  }));
}
