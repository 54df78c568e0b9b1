import { Buffer } from "node:buffer";
import type { Application } from "../../application/types.ts";
import type { HttpRequest } from "../../gateway/protocol.ts";
import type { FunctionHost, InvocationFacts } from "../../lambda/function_host.ts";
import type { Reply } from "../../lambda/http.ts";
import { isCut } from "./detail.ts";
import { MAX_CUT, MAX_KEPT, type Recording } from "./traces.ts";

/** What a span is sent to. */
export interface AgainOptions {
  readonly application: Application;
  readonly host: FunctionHost;
  /** Answers a request to the HTTP gateway. */
  readonly gateway: (request: HttpRequest) => Promise<Reply>;
  /** Answers a request to the URL of a function. */
  readonly functionUrl: (name: string, request: HttpRequest) => Promise<Reply>;
  readonly date: () => Date;
  /** Writes a line to the log. */
  readonly note: (text: string) => void;
}

/** Sends a request through its gateway again, or an event to its function. */
export class Again {
  constructor(private readonly options: AgainOptions) {}

  /** Returns the reason why a span cannot be sent again, or `true`. */
  problemOf({ span: { type, attributes }, event }: Recording): true | string {
    if (type === "call") return "A function has made this call: send its invocation again";
    const name = attributes["faas.name"];
    const { functions } = this.options.application;
    if (name !== undefined && !Object.hasOwn(functions, name)) {
      return `The manifest has no function "${name}" any more`;
    }
    if (attributes["mate.gateway"] === "url" && functions[name!]!.url === undefined) {
      return `The function "${name}" has no URL any more`;
    }
    if (event === undefined) return "Nothing is kept of its event";
    if (!isCut(event)) return true;
    return `It has ${event.size} bytes, and of more than ${MAX_KEPT} only the first ${MAX_CUT} are kept`;
  }

  /**
   * Sends a span again. It may be sent again.
   *
   * @param root The trace header of the new trace.
   */
  send(recording: Recording, root: string): void {
    this.#send(recording, root).catch(({ message }) =>
      this.options.note(`Cannot send "${recording.span.name}" again: ${message}`)
    );
  }

  async #send({ span: { type, attributes }, event }: Recording, root: string): Promise<void> {
    const { host, gateway, functionUrl } = this.options;
    const { bytes } = event!;
    if (type === "invocation") {
      const trigger = {
        type: attributes["mate.trigger.type"]!,
        name: attributes["mate.trigger.name"]!,
      } as InvocationFacts["trigger"];
      await host.invoke(attributes["faas.name"]!, bytes, { traceId: root, facts: { trigger } });
      return;
    }
    const request = this.#requestOf(bytes, root, attributes);
    const { body } = attributes["mate.gateway"] === "url"
      ? await functionUrl(attributes["faas.name"]!, request)
      : await gateway(request);
    if (!(body instanceof Uint8Array)) await body.pipeTo(new WritableStream());
  }

  /** Reads a request as it was kept. The new trace takes the place of the former one. */
  #requestOf(
    bytes: Uint8Array,
    root: string,
    attributes: Recording["span"]["attributes"],
  ): HttpRequest {
    const buffer = Buffer.from(bytes);
    const end = buffer.indexOf("\r\n\r\n");
    const [first, ...lines] = buffer.subarray(0, end).toString("latin1").split("\r\n");
    const [method, target, protocol] = first!.split(" ");
    const [path, query = ""] = target!.split(/\?(.*)/s, 2);
    const authority = attributes["server.address"]!;
    const headers = lines.map((line) => line.split(/: (.*)/s, 2) as [string, string])
      .filter(([name]) => !/^x-amzn-trace-id$/i.test(name));
    return {
      method: method!,
      url: `http://${authority}${target}`,
      authority,
      path: path!,
      query,
      headers: [...headers, ["X-Amzn-Trace-Id", root]],
      protocol: protocol!,
      sourceIp: attributes["client.address"]!,
      body: buffer.subarray(end + 4),
      time: this.options.date(),
    };
  }
}
