/** The types of results. The type check of this file is the test: each result that is refused has a directive. */
import { assertEquals } from "@std/assert";
import { type FnProxyEvent, proxyHandler, reply } from "../gateway/mod.ts";
import { idempotent, memoryStore, type Stored } from "./mod.ts";

/** Whether two types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true
  : false;

interface Order {
  readonly id: 7;
  at: Date;
  note?: string;
  total(): number;
}

interface Tree {
  readonly children: readonly Tree[];
  at?: Date;
}

/** Each member is `true`, or this file does not compile. */
export interface Rules {
  methods: Same<Stored<Order>, { readonly id: 7; at: string; note?: string }>;
  deep: Same<Stored<Tree>["children"][number]["at"], string | undefined>;
  tuple: Same<Stored<[Date, number | undefined]>, [string, number | null]>;
  bytes: Same<Stored<Uint8Array | undefined>, Uint8Array | undefined>;
  union: Same<Stored<boolean | "a" | null>, boolean | "a" | null>;
  nothing: Same<Stored<void>, void>;
  unknown: Same<Stored<unknown>, unknown>;
}
export type AllRules<Given extends Record<keyof Rules, true> = Rules> = Given;

const options = { store: memoryStore(), key: () => undefined };

Deno.test("the compiler knows the type of a kept result, and takes what JSON can carry", async () => {
  const later = idempotent(() => Promise.resolve(new Date(0)), options);
  const text: string = await later("", {} as never);
  assertEquals(text, "1970-01-01T00:00:00.000Z");
  idempotent((): Tree => ({ children: [] }), options);
  idempotent(async (event: FnProxyEvent) => {
    return await Promise.resolve(event) ? reply(201, { at: new Date() }) : undefined;
  }, options);
  // The input comes from the work or from the key.
  const route = proxyHandler(idempotent((event: FnProxyEvent) => reply(201, event.bytes()), {
    ...options,
    key: (event) => event.httpMethod(),
  }));
  idempotent((count) => count + 1, { ...options, key: (count: number) => String(count) });
  idempotent(route, options);
});

Deno.test("the compiler refuses a work whose result JSON cannot carry", () => {
  // @ts-expect-error a bigint
  idempotent(() => 1n, options);
  // @ts-expect-error a symbol
  idempotent(() => Symbol("a"), options);
  // @ts-expect-error a function
  idempotent(() => () => 1, options);
  // @ts-expect-error a Map, deep within
  idempotent(() => ({ a: [new Map()] }), options);
  // @ts-expect-error a Set, behind a promise
  idempotent(() => Promise.resolve({ a: new Set([1]) }), options);
  // @ts-expect-error a RegExp, in one of two cases
  idempotent((isFirst: boolean) => isFirst ? { a: 1 } : { a: /x/ }, options);
  // @ts-expect-error a Response
  idempotent(() => new Response(), options);
  // @ts-expect-error Headers
  idempotent(() => new Headers(), options);
  // @ts-expect-error a Blob
  idempotent(() => new Blob(), options);
  // @ts-expect-error bytes within an object
  idempotent(() => ({ a: new Uint8Array(1) }), options);
  // @ts-expect-error bytes within the payload of a reply
  idempotent(() => reply(200, { a: new Uint8Array(1) }), options);
  // @ts-expect-error a stream in a reply
  idempotent(() => reply(200, new ReadableStream()), options);
  // @ts-expect-error another typed array
  idempotent(() => new Uint16Array(1), options);
});
