/**
 * A Runtime API for one client.
 *
 * After the given number of invocations the API leaves the client waiting, as in an idle sandbox.
 */
export class StubApi implements Disposable {
  /** When the first request for an event came, as `performance.now()`. */
  readonly started = Promise.withResolvers<number>();
  /** When the last invocation was answered. */
  readonly ended = Promise.withResolvers<number>();
  answered = 0;
  failures = 0;
  /** Called with the body of each answer. */
  onAnswer: (body: string) => void = () => {};

  #sent = 0;
  #abort = new AbortController();
  #server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, signal: this.#abort.signal, onListen() {} },
    (request) => request.method === "GET" ? this.#next() : this.#take(request),
  );

  constructor(readonly count: number, readonly eventOf: (index: number) => string) {}

  get api(): string {
    return `127.0.0.1:${this.#server.addr.port}`;
  }

  [Symbol.dispose](): void {
    this.#abort.abort();
  }

  #next(): Response | Promise<Response> {
    if (this.#sent === 0) this.started.resolve(performance.now());
    if (this.#sent === this.count) return new Promise(() => {});
    const index = this.#sent++;
    return new Response(this.eventOf(index), {
      headers: {
        "Content-Type": "application/json",
        "Lambda-Runtime-Aws-Request-Id": `8476a536-e9f4-11e8-9739-${`${index}`.padStart(12, "0")}`,
        "Lambda-Runtime-Deadline-Ms": `${Date.now() + 3_000}`,
        "Lambda-Runtime-Invoked-Function-Arn": "arn:aws:lambda:eu-west-1:123456789012:function:f",
        "Lambda-Runtime-Trace-Id": "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Sampled=1",
      },
    });
  }

  async #take(request: Request): Promise<Response> {
    const body = await request.text();
    this.answered++;
    this.onAnswer(body);
    if (request.url.endsWith("/error")) this.failures++;
    if (this.answered === this.count) this.ended.resolve(performance.now());
    return Response.json({ status: "OK" }, { status: 202 });
  }
}
