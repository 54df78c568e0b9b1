import { type Emulators, readLocalKeys, withoutUnderscores } from "../manifest/local_values.ts";
import type { Application, ApplicationFunction } from "../application/types.ts";
import { REGION } from "../rules/arn.ts";
import { ServiceError } from "../aws/service_call.ts";
import {
  endpointIdsOf,
  type Host,
  HOST_PREFIXES,
  hostsOf,
  LABELS,
  labelsOf,
  PREFIX,
} from "./aws_hosts.ts";

/** The login of the developer. */
export interface Login {
  /** The region of the login, if it has one. */
  readonly region: string | undefined;
  credentials(): Promise<Credentials>;
}

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/**
 * Finds the login of the developer: a profile of the AWS tools, or the keys in the file `.env`. No other variable of that
 * file counts, because the file of a clone must not name a file or a program.
 *
 * @param folder The folder of `.env`.
 * @throws {Error} If the file has only one of the keys.
 */
export async function findLogin(folder: string, profile?: string): Promise<Login | undefined> {
  if (profile === undefined) {
    const keys = await readLocalKeys(folder);
    return keys && { region: keys.region, credentials: () => Promise.resolve(keys) };
  }
  const { LambdaClient } = await import("@aws-sdk/client-lambda"); // It knows every kind of profile.
  const { config } = new LambdaClient({ profile });
  const region = await config.region().catch(() => undefined); // A profile needs no region.
  return {
    region,
    async credentials() {
      try {
        return await config.credentials();
      } catch (error) {
        const { message } = error as Error;
        throw failure(`Cannot log in with the profile "${profile}": ${message}`, 502);
      }
    },
  };
}

/** The largest body of a request that is forwarded, in bytes. Amazon SES takes messages of this size. */
const MAX_BODY = 41_943_040;

/** The header fields of a request that belong to its connection or its signature. */
const OWN_FIELDS =
  /^(accept-encoding|authorization|connection|content-length|expect|host|keep-alive|te|transfer-encoding|upgrade|x-amz-date|x-amz-security-token|x-amz-content-sha256)$/;

/** The parameters of a presigned URL, whose signature is that of the function. */
const OWN_PARAMETERS =
  /^x-amz-(algorithm|credential|date|expires|security-token|signature|signedheaders)$/i;

/** What signs requests to an emulator, which gets no key of the developer. */
const EMULATED: Login = {
  region: REGION,
  credentials: () => Promise.resolve({ accessKeyId: "test", secretAccessKey: "test" }),
};

/** Where {@linkcode Forwarding} may send requests. */
export interface ForwardingOptions {
  readonly login: Login | undefined;
  readonly emulators: Emulators;
  /** The ports of the platform. What this process sends there counts as sent by the developer. */
  readonly ownPorts: readonly number[];
}

/**
 * Sends requests of functions to services that are not emulated: to an emulator of the developer, or else to the real service in
 * the name of the developer.
 */
export class Forwarding {
  readonly #functions: Application["functions"];
  readonly #options: ForwardingOptions;

  constructor(functions: Application["functions"], options: ForwardingOptions) {
    this.#functions = functions;
    this.#options = options;
  }

  /**
   * Forwards a request.
   *
   * @param owner The function that has signed the request.
   * @param body The body, which {@linkcode readForwarded} has read.
   * @throws {ServiceError} If no host of the service is granted, or the developer has neither an emulator nor a login.
   */
  async answer(
    request: Request,
    service: string,
    owner: string,
    body: Uint8Array<ArrayBuffer>,
  ): Promise<Response> {
    const url = new URL(request.url);
    const [, label = service, path = url.pathname] = url.pathname.startsWith(PREFIX)
      ? /^\/\.aws\/([^/]*)(.*)$/s.exec(url.pathname)!
      : [];
    const target = request.headers.get("x-amz-target") ?? "";
    const before = Object.hasOwn(HOST_PREFIXES, target) ? HOST_PREFIXES[target]! : "";
    const common = before + (Object.hasOwn(LABELS, label) ? LABELS[label]! : label);
    const host = this.#find(before + label, service, owner, before) ??
      this.#find(common, service, owner, before);
    const name = nameOf(service);
    if (host === undefined) {
      const settings = this.#functions[owner]!;
      if (this.#isOpen(service, settings)) {
        const own = labelsOf(service).map((one) => `"${before}${one}"`).join(" or ");
        const text = `${name}, and its host begins with ${own}, not with ${JSON.stringify(label)}`;
        throw failure(`${text}: name the host in permissions.net of a function on Deno`, 501);
      }
      const grant = settings.runtime === "deno"
        ? `name its host in permissions.net, such as "${common}.\${region}.amazonaws.com:443"`
        : `name it in a statement, such as "${service}:*"`;
      throw failure(`${name}: to call the real one, ${grant}`, 501);
    }
    const place = { path: path || "/", service };
    const ids = endpointIdsOf(service, host.label.slice(before.length));
    const emulator = this.#emulatorOf(ids);
    if (emulator !== undefined) {
      return await send(request, { ...place, url: emulator, region: REGION }, body, EMULATED);
    }
    const { login } = this.#options;
    if (login === undefined) {
      throw failure(
        `${name}: to call the real ${host.host}, pass --profile NAME, ` +
          "or put AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY into the file .env beside the manifest; " +
          `to call an emulator of your own, put AWS_ENDPOINT_URL_${ids[0]} there`,
        501,
      );
    }
    const real = { ...place, url: new URL(`https://${host.host}`), region: host.region };
    return await send(request, real, body, login);
  }

  /** Finds the emulator of a service, by the identifiers in its variables. */
  #emulatorOf(ids: readonly string[]): URL | undefined {
    const { emulators, ownPorts } = this.#options;
    const id = ids.find((one) => emulators.has(withoutUnderscores(one)));
    if (id === undefined) return undefined;
    const url = emulators.get(withoutUnderscores(id))!;
    if (ownPorts.includes(Number(url.port || 80))) {
      throw failure(`AWS_ENDPOINT_URL_${id} in .env is the platform itself, not an emulator`, 501);
    }
    return url;
  }

  /**
   * Finds the host of a service that a function may call: one that the manifest names, or one of the service itself.
   *
   * @param before What an SDK puts before the hosts of the service.
   */
  #find(label: string, service: string, owner: string, before: string): Host | undefined {
    const settings = this.#functions[owner]!;
    const region = this.#options.login?.region ?? REGION;
    const found = hostsOf(settings, region).hosts.filter((one) => one.label === label);
    const near = found.find((one) => one.region === region) ?? found[0];
    if (near !== undefined || !this.#isOpen(service, settings)) return near;
    if (!labelsOf(service).some((one) => before + one === label)) return undefined;
    return { host: `${label}.${region}.amazonaws.com`, label, region };
  }

  /** Whether a function may call the hosts of a service although its manifest names none. */
  #isOpen(service: string, settings: ApplicationFunction): boolean {
    return hostsOf(settings, REGION).isOpen ||
      settings.runtime !== "deno" && mentions(settings, service);
  }
}

/** Tells whether a statement of a function allows an action of a service. A function on Node.js has no list of hosts. */
function mentions({ code: { statements } }: ApplicationFunction, service: string): boolean {
  return statements.filter(({ Effect }) => Effect === "Allow")
    .flatMap(({ Action = [] }) => Action)
    .some((action) => action === "*" || action.toLowerCase().startsWith(`${service}:`));
}

const nameOf = (service: string) => `The service "${service}" is not emulated locally`;

/**
 * Reads the body of a request that may be forwarded.
 *
 * @throws {ServiceError} If the body is too large, or a stream whose end the client does not know.
 */
export async function readForwarded(
  request: Request,
  service: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const isStream = /^application\/vnd\.amazon\.eventstream/.test(
    request.headers.get("content-type") ?? "",
  ) || /^STREAMING-/.test(request.headers.get("x-amz-content-sha256") ?? "");
  if (isStream) {
    throw failure(`${nameOf(service)}, and requests that stream are not forwarded`, 501);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > MAX_BODY) throw failure(`The request has over ${MAX_BODY} bytes`, 413);
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer());
}

/** Where a request goes. */
interface Place {
  readonly url: URL;
  readonly path: string;
  readonly service: string;
  readonly region: string | undefined;
}

/** Signs a request with a login, and sends it. */
async function send(
  { method, url, headers }: Request,
  { url: { origin, host, hostname, protocol }, path, region, service }: Place,
  body: Uint8Array<ArrayBuffer>,
  login: Login,
): Promise<Response> {
  const { Sha256 } = await import("@smithy/core/checksum"); // Few applications need these imports.
  const { buildQueryString } = await import("@smithy/core/protocols");
  const { SignatureV4 } = await import("@smithy/signature-v4");
  const signer = new SignatureV4({
    service,
    region: region ?? REGION, // A service without regions is in this one.
    credentials: await login.credentials(),
    sha256: Sha256,
  });
  const { searchParams } = new URL(url);
  const names = [...searchParams.keys()].filter((name) => !OWN_PARAMETERS.test(name));
  const query = Object.fromEntries(names.map((name) => [name, searchParams.getAll(name)]));
  const kept = [...headers].filter(([name]) => !OWN_FIELDS.test(name));
  const signed = await signer.sign({
    method,
    protocol,
    hostname,
    path,
    query,
    headers: { ...Object.fromEntries(kept), host, "accept-encoding": "identity" },
    body,
  });
  const { host: _, ...fields } = signed.headers;
  const search = buildQueryString(query);
  const response = await fetch(`${origin}${path}${search && `?${search}`}`, {
    method,
    headers: fields,
    ...body.length > 0 && { body },
    redirect: "manual",
  }).catch((error) => {
    throw failure(`Cannot reach ${host}: ${error.message}`, 502);
  });
  const answered = new Headers(response.headers);
  for (const name of ["connection", "keep-alive", "transfer-encoding"]) answered.delete(name);
  return new Response(response.body, { status: response.status, headers: answered });
}

function failure(message: string, status: number): ServiceError {
  return new ServiceError("NotImplemented", message, undefined, status);
}
