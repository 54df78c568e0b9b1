import process from "node:process";
import { floor } from "../peers/floor.ts";
import { mate } from "../peers/mate.ts";
import { CONTEXT, PROGRAM, type RestEvent, restEvent } from "./_events.ts";
import { replies } from "./replies.ts";

/** What an event may hold that no function of the workload reads. */
const UNREAD: Readonly<Record<string, (event: RestEvent, count: number) => RestEvent>> = {
  "query parameters": (event, count) => ({
    ...event,
    multiValueQueryStringParameters: fields(count, (value) => [value]),
  }),
  "body, 100 bytes each": (event, count) => ({ ...event, body: "x".repeat(100 * count) }),
  "claims": (event, count) => ({
    ...event,
    requestContext: { ...event["requestContext"] as object, authorizer: { claims: fields(count) } },
  }),
  "headers": (event, count) => ({
    ...event,
    headers: { ...event.headers, ...fields(count) as Record<string, string> },
  }),
};

const COUNTS = [10, 100, 1_000, 10_000] as const;

/** What data that is not read costs. */
export interface GrowthResult {
  readonly unread: string;
  /** Microseconds a call with 10, 100, 1,000 and 10,000 of them. */
  readonly mate: readonly number[];
  /** The same of the floor. */
  readonly floor: readonly number[];
}

/** Measures a small reply to events with more and more data that is not read. */
export async function growth(milliseconds: number): Promise<GrowthResult[]> {
  const event = restEvent({ path: "/menu/soup", headers: PROGRAM, query: { day: "friday" } });
  const results: GrowthResult[] = [];
  for (const [unread, add] of Object.entries(UNREAD)) {
    const times: Record<"mate" | "floor", number[]> = { mate: [], floor: [] };
    for (const count of COUNTS) {
      const grown: RestEvent = JSON.parse(JSON.stringify(add(event, count)));
      times.mate.push(await timeOf(() => mate.dish(grown, CONTEXT), milliseconds));
      times.floor.push(await timeOf(() => floor.dish(grown, CONTEXT), milliseconds));
    }
    results.push({ unread, ...times });
  }
  return results;
}

function fields(count: number, of: (value: string) => unknown = (value) => value): object {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`X-Unread-${index}`, of(`value ${index}`)]),
  );
}

/** The median over batches, in microseconds a call. */
async function timeOf(run: () => unknown, milliseconds: number): Promise<number> {
  const times: number[] = [];
  const end = performance.now() + milliseconds;
  do {
    const start = performance.now();
    for (let call = 0; call < 100; call++) await run();
    times.push((performance.now() - start) * 10);
  } while (performance.now() < end);
  return times.sort((a, b) => a - b)[times.length >> 1]!;
}

/** What a workload takes of the heap. */
export interface MemoryResult {
  readonly workload: string;
  /** By contestant: bytes of the heap a call, to be collected later. */
  readonly bytes: Readonly<Record<string, number>>;
}

/** Measures the heap that calls take; the young generation has to be large enough for a batch of them. */
export async function memory(): Promise<MemoryResult[]> {
  const results: MemoryResult[] = [];
  for (const { name, contestants } of replies) {
    if (name.startsWith("1 MB")) continue; // more than any young generation
    const bytes: Record<string, number> = {};
    for (const { name, run } of contestants) bytes[name] = await heapOf(run);
    results.push({ workload: name, bytes });
  }
  return results;
}

const BATCH = 100;

async function heapOf(run: () => unknown): Promise<number> {
  for (let call = 0; call < 5_000; call++) await run(); // optimised code allocates less
  const sizes: number[] = [];
  for (let batch = 0; batch < 15; batch++) {
    const before = process.memoryUsage().heapUsed;
    for (let call = 0; call < BATCH; call++) await run();
    const size = (process.memoryUsage().heapUsed - before) / BATCH;
    if (size > 0) sizes.push(size); // else it was collected meanwhile
  }
  return sizes.sort((a, b) => a - b)[sizes.length >> 1] ?? NaN;
}
