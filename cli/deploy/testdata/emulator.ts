import { actionOf } from "./actions.ts";
import { endWithTest } from "./end_with_test.ts";
import { LiveStage } from "./live_stage.ts";

const FUNCTIONS = "/2015-03-31/functions";

interface LoggingConfig {
  readonly LogFormat?: "JSON" | "Text";
}

/** Sends a request to the emulator. */
type Send = (
  method: string,
  path: string,
  content?: Uint8Array | string,
) => Promise<Response>;

interface Route {
  readonly security: readonly Record<string, unknown>[];
  readonly "x-amazon-apigateway-integration": Readonly<
    Record<"type" | "httpMethod" | "uri", string>
  >;
}

/** An emulated cloud: `moto_server` behind a proxy that adds missing features. */
export class Emulator implements AsyncDisposable {
  /** The base URL for AWS clients. */
  readonly url: string;
  /** The account of every request. */
  account = "123456789012";
  /** The IAM actions of all requests that Terraform has sent. */
  readonly actions: Set<string> = new Set();
  /** What the live stages use, by the order of all requests. */
  readonly live: LiveStage = new LiveStage();
  /** Called after each request, before the client gets the response. */
  done: (request: Request) => void = () => {};

  readonly #logging = new Map<string, LoggingConfig>();
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #moto: Deno.ChildProcess;
  readonly #upstream: string;

  private constructor(moto: Deno.ChildProcess, upstream: string) {
    this.#moto = moto;
    this.#upstream = upstream;
    this.#server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      (request) => this.#forward(request),
    );
    this.url = `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** Starts the emulator on a free port. */
  static async start(): Promise<Emulator> {
    const probe = Deno.listen({ port: 0, hostname: "127.0.0.1" });
    const { port } = probe.addr as Deno.NetAddr;
    probe.close();
    endWithTest(`EMULATOR_OF=${Deno.pid}`);
    const moto = new Deno.Command("moto_server", {
      args: ["-H", "127.0.0.1", "-p", String(port)],
      env: { MOTO_IAM_LOAD_MANAGED_POLICIES: "true", EMULATOR_OF: String(Deno.pid) },
      stdout: "null",
      stderr: "null",
    }).spawn();
    const upstream = `http://127.0.0.1:${port}`;
    for (let tries = 0; tries < 240; tries++) {
      try {
        const signal = AbortSignal.timeout(60_000);
        await (await fetch(`${upstream}/moto-api/data.json`, { signal })).body?.cancel();
        return new Emulator(moto, upstream);
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 250)); // not yet
      }
    }
    moto.kill("SIGKILL");
    throw new Error("moto_server did not start within a minute");
  }

  async #forward(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const body = request.body ? new Uint8Array(await request.arrayBuffer()) : undefined;
    const headers = new Headers(request.headers);
    headers.set("x-moto-account-id", this.account);
    if (headers.get("user-agent")?.includes("Terraform")) {
      this.actions.add(actionOf(request, new TextDecoder().decode(body)));
    }
    const send: Send = (method, path, content) =>
      fetch(`${this.#upstream}${path}`, {
        method,
        headers,
        ...(content && { body: content as BodyInit }),
        redirect: "manual",
      });

    let response: Response;
    if (request.method === "POST" && /^\/v2\/domainnames\/[^/]+\/apimappings$/.test(pathname)) {
      // The emulator keeps the domains of both interfaces apart. AWS does not.
      const domainName = decodeURIComponent(pathname.split("/")[3]!);
      const known = JSON.stringify({ domainName, domainNameConfigurations: [{}] });
      await (await send("POST", "/v2/domainnames", known)).body?.cancel();
      response = await send("POST", pathname, withMappingKey(body));
    } else if (request.method === "PATCH" && /^\/restapis\/[^/]+$/.test(pathname)) {
      response = await send("PATCH", pathname, withPatchValues(body));
    } else if (request.method === "PUT" && /^\/restapis\/[^/]+$/.test(pathname)) {
      response = await this.#putDocument(send, pathname + search, body);
    } else if (request.method === "PATCH" && /^\/domainnames\/[^/]+$/.test(pathname)) {
      response = await replaceDomain(send, pathname, body);
    } else {
      response = await send(request.method, pathname + search, body);
      if (pathname.startsWith(FUNCTIONS)) {
        response = await this.#withLogging(request, body, response);
      }
    }
    if (headers.get("x-amz-target") === "AmazonSQS.GetQueueAttributes" && response.ok) {
      const content = await response.json(); // the emulator puts spaces into policies
      const policy = content.Attributes?.RedrivePolicy;
      if (policy) content.Attributes.RedrivePolicy = JSON.stringify(JSON.parse(policy));
      response = Response.json(content, { status: response.status });
    }
    if (response.status === 500 && /^\/domainnames\/[^/]+\/basepathmappings\//.test(pathname)) {
      // The emulator fails if a domain has no mapping.
      response = Response.json({ message: "Invalid base path mapping" }, {
        status: 404,
        headers: { "x-amzn-errortype": "NotFoundException" },
      });
    }
    this.done(request);
    const answer = new Headers(response.headers);
    for (const name of ["content-encoding", "transfer-encoding", "connection"]) answer.delete(name);
    if (request.method !== "HEAD") answer.delete("content-length");
    const empty = request.method === "HEAD" || [204, 304].includes(response.status);
    const content = await response.arrayBuffer();
    if (response.ok) {
      const decode = (bytes?: BufferSource) => new TextDecoder().decode(bytes);
      this.live.saw(request.method, pathname, decode(body), decode(content));
    }
    return new Response(empty ? null : content, {
      status: response.status,
      headers: answer,
    });
  }

  /** Sends the extensions of an OpenAPI document one by one, because the emulator knows only integrations. */
  async #putDocument(
    send: Send,
    path: string,
    body: Uint8Array | undefined,
  ): Promise<Response> {
    const text = new TextDecoder().decode(body);
    const document = JSON.parse(text.replaceAll('"x-amazon-apigateway-any-method"', '"any"'));
    const base = path.split("?")[0]!;
    const put = async (method: string, path: string, content?: object) => {
      const response = await send(method, `${base}${path}`, content && JSON.stringify(content));
      const text = await response.text();
      if (!response.ok) throw new Error(`The emulator refused ${method} ${path}: ${text}`);
      return JSON.parse(text || "{}");
    };
    // It cannot read a mock integration in a document. All integrations follow below.
    const withoutIntegrations = JSON.parse(
      JSON.stringify(
        document,
        (key, value) => key === "x-amazon-apigateway-integration" ? undefined : value,
      ),
    );
    await put("PUT", path.slice(base.length), withoutIntegrations);
    const binaryMediaTypes: string[] = document["x-amazon-apigateway-binary-media-types"];
    const patchOperations = binaryMediaTypes.map((value) => {
      return { op: "replace", path: "/binaryMediaTypes", value };
    });
    await put("PATCH", "", { patchOperations });
    const gatewayResponses = document["x-amazon-apigateway-gateway-responses"];
    for (const [type, response] of Object.entries<object>(gatewayResponses)) {
      await put("PUT", `/gatewayresponses/${type}`, response);
    }
    for (const { id } of (await put("GET", "/authorizers")).item) {
      await send("DELETE", `${base}/authorizers/${id}`);
    }
    const authorizers = new Map<string, string>();
    for (const [name, scheme] of Object.entries(document.components.securitySchemes)) {
      const settings = (scheme as Record<string, object>)["x-amazon-apigateway-authorizer"];
      // The emulator does not know that REST APIs have JWT authorizers, too.
      const authorizer = { ...settings, name, type: "REQUEST" };
      authorizers.set(name, (await put("POST", "/authorizers", authorizer)).id);
    }
    for (const { id, path } of (await put("GET", "/resources")).item) {
      for (const [method, route] of Object.entries<Route>(document.paths[path] ?? {})) {
        const authorizer = Object.keys(route.security[0] ?? {})[0];
        const at = `/resources/${id}/methods/${method.toUpperCase()}`;
        const authorizerId = authorizer && authorizers.get(authorizer);
        const authorizationType = authorizer ? "CUSTOM" : "NONE";
        await put("PUT", at, { authorizationType, authorizerId });
        const { type, httpMethod, uri } = route["x-amazon-apigateway-integration"];
        const integration = { type: type.toUpperCase(), httpMethod, uri };
        await put("PUT", `${at}/integration`, integration);
      }
    }
    return await send("GET", base);
  }

  /** Keeps the logging settings of functions, because the emulator forgets them. */
  async #withLogging(
    { method, url }: Request,
    body: Uint8Array | undefined,
    response: Response,
  ): Promise<Response> {
    const [key = "", part] = new URL(url).pathname.slice(FUNCTIONS.length).split("/").filter(
      Boolean,
    );
    if (response.ok && (method === "POST" && key === "" || part === "configuration")) {
      const { FunctionName = key, LoggingConfig } = JSON.parse(new TextDecoder().decode(body));
      if (LoggingConfig) this.#logging.set(FunctionName, LoggingConfig);
    }
    if (!response.ok || method !== "GET" || key === "" || part) return response;
    const { LogFormat = "Text" } = this.#logging.get(key) ?? {};
    const levels = LogFormat === "JSON" && { ApplicationLogLevel: "INFO", SystemLogLevel: "INFO" };
    const found = await response.json();
    found.Configuration.LoggingConfig = { LogFormat, LogGroup: `/aws/lambda/${key}`, ...levels };
    return Response.json(found);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#moto.kill("SIGKILL"); // first, because the server waits for its answers
    await this.#moto.status;
    await this.#server.shutdown();
  }
}

/**
 * Replaces a domain by a changed domain, because the emulator cannot change domains. Terraform changes the certificate of a
 * domain that a killed run has left behind.
 */
async function replaceDomain(
  send: Send,
  path: string,
  body: Uint8Array | undefined,
): Promise<Response> {
  const domain = await (await send("GET", path)).json();
  const patch: { patchOperations: { op: string; path: string; value: string }[] } = JSON.parse(
    new TextDecoder().decode(body),
  );
  for (const { op, path, value } of patch.patchOperations) {
    const key = path.slice(1);
    if (op !== "replace" || typeof domain[key] !== "string") {
      throw new Error(`The emulator knows no operation "${op}" for "${path}" of a domain`);
    }
    domain[key] = value;
  }
  await send("DELETE", path);
  return await send("POST", "/domainnames", JSON.stringify(domain));
}

/** Gives a mapping an empty key, which the emulator expects. */
function withMappingKey(body: Uint8Array | undefined): string {
  return JSON.stringify({ apiMappingKey: "", ...JSON.parse(new TextDecoder().decode(body)) });
}

/** Copies the media type from the path of a patch to its value, because the emulator reads only the value. */
function withPatchValues(body: Uint8Array | undefined): string {
  const patch = JSON.parse(new TextDecoder().decode(body));
  for (const operation of patch.patchOperations) {
    const type = /^\/binaryMediaTypes\/(.+)$/.exec(operation.path)?.[1];
    if (type) operation.value = type.replaceAll("~1", "/").replaceAll("~0", "~");
  }
  return JSON.stringify(patch);
}
