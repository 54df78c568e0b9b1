/** The running example, its log, and what its functions should show. */
import { assert, assertEquals } from "@std/assert";
import { type Platform, startPlatform } from "@mate/cli/platform";
import { readEach } from "../read_each.ts";

/** Runs the example application. */
export function start(): Promise<Platform> {
  return startPlatform(`${import.meta.dirname}/../../app.json`, { bundling: "when invoked" });
}

/** Waits for a reply, which must be a success. */
export async function done(reply: Promise<Response>): Promise<void> {
  const response = await reply;
  assert(response.ok, await response.text());
}

/** A record of the log of a function. */
export interface Logged {
  readonly level: string;
  /** The message and its data. */
  readonly text: string;
  /** The data of the record, if it is an object. */
  readonly data?: Record<string, unknown>;
}

/** What a function has logged when nothing runs any more. */
export async function recordsOf(platform: Platform, functionName: string): Promise<Logged[]> {
  await platform.settled();
  return recordsSoFar(platform, functionName);
}

/** What a function has logged until now. */
export function recordsSoFar(platform: Platform, functionName: string): Logged[] {
  const isOwn = (text: string) => !/^(?:START|END|REPORT|INIT_REPORT) /.test(text);
  const entries = platform.log.after(0)
    .filter((entry) => entry.functionName === functionName && isOwn(entry.text));
  return entries.map((entry) => {
    const [, , level = "", ...rest] = entry.text.split("\t");
    const text = rest.join("\t");
    const [data] = /\{.*\}$/.exec(text) ?? [];
    return { level, text, ...(data && level === "INFO" ? { data: JSON.parse(data) } : {}) };
  });
}

/** The public methods and properties of a class. */
function accessorsOf(Class: { readonly prototype: object }): string[] {
  const others = ["constructor", "path", "recordPath"]; // the last two are protected
  return Object.getOwnPropertyNames(Class.prototype).filter((name) => !others.includes(name));
}

/** What an accessor gives. The call is such as `header('accept')`. */
function callAccessor(source: object, call: string): unknown {
  const [, name = "", argument] = /^(\w+)(?:\((?:'(.*)')?\))?$/.exec(call)!;
  const member = Reflect.get(source, name);
  return typeof member === "function" ? member.call(source, argument) : member;
}

/** Checks that the outcomes are those of every accessor of the source, except for the given outcomes. */
export async function checkOutcomes(
  outcomes: Record<string, unknown>,
  source: object,
  Class: { readonly prototype: object },
  given: Record<string, unknown> = {},
): Promise<void> {
  const names = Object.keys(outcomes).map((call) => call.replace(/\(.*/, ""));
  for (const name of accessorsOf(Class)) assert(names.includes(name), name);
  for (const [call, outcome] of Object.entries(outcomes)) {
    const expected = given[call] ??
      (await readEach({ [call]: () => callAccessor(source, call) }))[call];
    assertEquals(outcome, JSON.parse(JSON.stringify(expected)), call);
  }
}
