import { assert, assertEquals } from "@std/assert";
import "../testdata/own_environment.ts";
import { createContext } from "../testing/mod.ts";
import { type IdempotencyStore, idempotent, memoryStore } from "./mod.ts";

Deno.test("idempotent() hashes keys and payloads, and puts the name of the function in front", async () => {
  const asked: unknown[][] = [];
  const memory = memoryStore();
  const store: IdempotencyStore = {
    ...memory,
    claim(...args) {
      asked.push(args);
      return memory.claim(...args);
    },
  };
  const guarded = idempotent(() => "done", {
    store,
    key: (id: string) => Promise.resolve(id),
    payload: (id) => ({ id }),
  });
  for (const name of ["pay", "refund"]) {
    Deno.env.set("AWS_LAMBDA_FUNCTION_NAME", name);
    await guarded("secret", createContext());
  }
  Deno.env.delete("AWS_LAMBDA_FUNCTION_NAME");
  // printf secret | sha256sum
  const hash = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";
  assertEquals(asked.map(([id]) => id), [`pay#${hash}`, `refund#${hash}`]);
  assert(!JSON.stringify(asked).includes("secret"));
});
