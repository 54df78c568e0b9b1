import type { Answer } from "../platform/runtime_api/answer.ts";
import { RuntimeApi } from "../platform/runtime_api/runtime_api.ts";

/** A Runtime API whose calls are noted down, and a client that speaks HTTP to it over a raw connection. */
export async function setUp() {
  const calls: string[] = [];
  const answers: Answer[] = [];
  const api = await RuntimeApi.listen({
    onNext: () => calls.push("next"),
    onInitError: (error) => (calls.push("init error"), answers.push(error)),
    onAnswer: (answer) => (calls.push(answer.kind), answers.push(answer)),
  });
  const [hostname, port] = api.address.split(":");
  const connect = () => Deno.connect({ hostname: hostname!, port: Number(port) });
  const post = (path: string, body: BodyInit = "{}", headers: Record<string, string> = {}) =>
    fetch(`http://${api.address}/2018-06-01/runtime/${path}`, { method: "POST", body, headers });
  const next = () => fetch(`http://${api.address}/2018-06-01/runtime/invocation/next`);
  const invoke = (requestId: string, options = {}) =>
    api.invoke({
      requestId,
      functionName: "one",
      payload: new TextEncoder().encode('{"a":1}'),
      deadline: 1_700_000_000_000,
      ...options,
    });
  return { api, calls, answers, connect, post, next, invoke };
}

/** Gets a runtime to where an invocation `id` runs. */
export async function running(id = "id") {
  const parts = await setUp();
  parts.invoke(id);
  await (await parts.next()).text();
  return parts;
}

/** Bytes as text. */
export const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
