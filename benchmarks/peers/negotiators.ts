import hapi from "npm:@hapi/accept@6.0.3";
import accepts from "npm:accepts@2.0.0";
import { accepts as honoAccepts } from "npm:hono@4.13.19/accepts";
import { parseAccept } from "npm:hono@4.13.19/utils/accept";
import Negotiator from "npm:negotiator@1.1.0";
import { determineContentType, FnProxyEvent } from "../../gateway/mod.ts";
import type { RestEvent } from "../workloads/_events.ts";

/** Chooses among types and sorts languages, by the headers of a request. */
export interface Negotiators {
  /** The library. */
  readonly name: string;
  /** The best of {@linkcode TYPES} for the `Accept` header; absent where the library has nothing of the kind. */
  readonly choose?: (request: NegotiatedRequest) => unknown;
  /** The languages of `Accept-Language`, best first; absent where the library has nothing of the kind. */
  readonly sort?: (request: NegotiatedRequest) => unknown;
}

/** A request in the forms that the libraries take, made beforehand. */
export interface NegotiatedRequest {
  /** What the gateway sends. */
  readonly event: RestEvent;
  /** The headers by their names in lower case, as `node:http` gives them. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What is available. */
export const TYPES: readonly string[] = ["application/json", "text/html"];

const COMMA = 0x2c;
const SEMICOLON = 0x3b;

const html = () => ["", "text/html"] as const;
const OPTIONS = { customTransformers: { "text/html": html } };

/**
 * The least that does the work, in one pass: headers are taken to be well-formed, spelt as browsers do, and to
 * have no parameter but the weight.
 */
const floor: Negotiators = {
  name: "floor",
  choose: ({ event }) => {
    let best: string | undefined;
    let most = 0;
    forEachMember(event.headers["Accept"]!, (header, start, end, weight) => {
      if (weight <= most) return;
      const range = header.slice(start, end);
      const type = range === "*/*" ? TYPES[0] : TYPES.includes(range) ? range : undefined;
      if (type === undefined) return;
      best = type;
      most = weight;
    });
    return best;
  },
  sort: ({ event }) => {
    const members: { value: string; weight: number }[] = [];
    forEachMember(event.headers["Accept-Language"]!, (header, start, end, weight) => {
      if (start < end) members.push({ value: header.slice(start, end), weight });
    });
    return members.sort((a, b) => b.weight - a.weight).map(({ value }) => value);
  },
};

/** Visits the members; their texts are cut out only where they are asked for. */
function forEachMember(
  header: string,
  visit: (header: string, start: number, end: number, weight: number) => void,
): void {
  let start = 0;
  let semicolon = -1;
  for (let position = 0; position <= header.length; position++) {
    const code = position < header.length ? header.charCodeAt(position) : COMMA;
    if (code === SEMICOLON) semicolon = position;
    if (code !== COMMA) continue;
    const isWeighted = semicolon >= start;
    const weight = isWeighted ? Number(header.slice(semicolon + 3, position)) : 1;
    visit(header, start, isWeighted ? semicolon : position, weight);
    start = position + 1;
  }
}

const mate: Negotiators = {
  name: "@mate/core",
  choose: ({ event }) => determineContentType(new FnProxyEvent(event), OPTIONS),
  sort: ({ event }) => new FnProxyEvent(event).headerSortedPreferences("Accept-Language"),
};

/** The floor first, then `@mate/core`, then its peers. */
export const NEGOTIATORS: readonly Negotiators[] = [
  floor,
  mate,
  {
    name: "negotiator",
    choose: (request) => new Negotiator(request).mediaType([...TYPES]),
    sort: (request) => new Negotiator(request).languages(),
  },
  {
    name: "accepts",
    choose: (request) => accepts(request as never).type([...TYPES]),
    sort: (request) => accepts(request as never).languages(),
  },
  {
    name: "hono/accepts",
    choose: ({ headers }) =>
      honoAccepts({ req: { header: (name: string) => headers[name] } } as never, {
        header: "accept" as never,
        supports: [...TYPES],
        default: "",
      }),
    sort: ({ headers }) => parseAccept(headers["accept-language"]!).map(({ type }) => type),
  },
  {
    name: "@hapi/accept",
    choose: ({ headers }) => hapi.mediaType(headers["accept"], TYPES),
    sort: ({ headers }) => hapi.languages(headers["accept-language"]),
  },
];
