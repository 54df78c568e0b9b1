import { RuntimeApi } from "../lambda/runtime_api/runtime_api.ts";

/** A Runtime API, and a client of it. */
export async function startRuntimeApi() {
  const api = await RuntimeApi.listen();
  const url = `http://${api.address}/2018-06-01/runtime`;
  const { host, hostname, port, pathname: root } = new URL(`http://${api.address}`);
  return {
    api,
    /** The host and the port. */
    host,
    /** The secret path before each path. */
    root,
    connect: () => Deno.connect({ hostname, port: Number(port) }),
    post: (path: string, body: BodyInit = "{}", headers: Record<string, string> = {}) =>
      send(`${url}/${path}`, { method: "POST", body, headers }),
    next: (signal?: AbortSignal) => send(`${url}/invocation/next`, signal ? { signal } : {}),
    invoke: (requestId: string, options = {}) =>
      api.invoke({
        requestId,
        functionName: "one",
        payload: new TextEncoder().encode('{"a":1}'),
        deadline: 1_700_000_000_000,
        ...options,
      }),
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}

/** A Runtime API whose runtime runs the invocation `id`. */
export async function startRunning(options = {}) {
  const parts = await startRuntimeApi();
  const { answered, finished } = parts.invoke("id", options);
  await parts.next();
  return { ...parts, answered, finished };
}

/** Sends a request as a runtime does, and reads the whole response. */
export async function send(url: string, init: RequestInit = {}) {
  const response = await fetch(url, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}
