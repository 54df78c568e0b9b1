/**
 * Reads the secrets of a function from AWS Systems Manager Parameter Store. The runtime on Deno has this module, and a bundle for
 * Node.js can have it. So it imports nothing, and uses only what both have: `fetch()` and Web Crypto.
 *
 * @module
 */

/** Returns the value of an environment variable. */
type GetEnv = (name: string) => string | undefined;

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** The most parameters of a request. @see https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParameters.html */
const BATCH = 10;

/** The longest time of all attempts, in milliseconds. A function has 10 s to start. */
const LIMIT = 8_000;

/** The longest time of one attempt, in milliseconds. */
const ATTEMPT_LIMIT = 2_500;

/** The longest delay before the second attempt, in milliseconds. It doubles with each attempt. */
const DELAY = 100;

const MAX_DELAY = 1_600;

/**
 * Reads parameters, decrypted. Each request is repeated if the service has too many requests: it allows 40 a second, and a burst
 * of cold starts can have more.
 *
 * @param parameters The names of the parameters, such as `/shop/prod/JWT_SECRET`.
 * @param getEnv Reads the region, the credentials and the endpoint, as the AWS SDKs do.
 * @returns The values by the last part of the names.
 * @throws {Error} If a parameter cannot be read. The message quotes no value.
 */
export async function readSecrets(
  parameters: readonly string[],
  getEnv: GetEnv,
): Promise<Record<string, string>> {
  const end = Date.now() + LIMIT;
  const region = getEnv("AWS_REGION") || getEnv("AWS_DEFAULT_REGION") || "";
  const url = endpointOf(region, getEnv);
  const credentials = await findCredentials(getEnv, end);
  const batches = Array.from(
    { length: Math.ceil(parameters.length / BATCH) },
    (_, index) => parameters.slice(index * BATCH, (index + 1) * BATCH),
  );
  const answers = await Promise.all(batches.map(async (names) => {
    const body = JSON.stringify({ Names: names, WithDecryption: true });
    return await exchange(url, end, async () => {
      const fields = {
        "content-type": "application/x-amz-json-1.1",
        "x-amz-target": "AmazonSSM.GetParameters",
      };
      const headers = await sign({ url, body, fields, region, credentials, date: new Date() });
      return { method: "POST", headers, body };
    });
  }));
  const found: readonly { Name: string; Value: string }[] = answers
    .flatMap(({ Parameters = [] }) => Parameters);
  const missing = parameters.filter((name) => !found.some(({ Name }) => Name === name));
  if (missing.length > 0) {
    const commands = missing.map((name) => {
      const [, , stage] = name.split("/");
      return `mate secret set ${lastPart(name)} --stage ${stage}`;
    }).join("; ");
    throw new Error(
      `Cannot read the secrets: ${missing.join(", ")} ${
        missing.length > 1 ? "have" : "has"
      } no value (${commands})`,
    );
  }
  return Object.fromEntries(found.map(({ Name, Value }) => [lastPart(Name), Value]));
}

const lastPart = (name: string) => name.slice(name.lastIndexOf("/") + 1);

/** @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html */
function endpointOf(region: string, getEnv: GetEnv): URL {
  const isIgnored = getEnv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS") === "true";
  const chosen = getEnv("AWS_ENDPOINT_URL_SSM") || getEnv("AWS_ENDPOINT_URL");
  if (chosen && !isIgnored) return new URL(chosen);
  return new URL(`https://ssm.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}/`);
}

/**
 * Finds the credentials of the function: in its variables, or where the platform offers them, as it does with SnapStart.
 *
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html
 */
async function findCredentials(getEnv: GetEnv, end: number): Promise<Credentials> {
  const accessKeyId = getEnv("AWS_ACCESS_KEY_ID");
  const secretAccessKey = getEnv("AWS_SECRET_ACCESS_KEY");
  if (accessKeyId && secretAccessKey) {
    return { accessKeyId, secretAccessKey, sessionToken: getEnv("AWS_SESSION_TOKEN") };
  }
  const path = getEnv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  const address = path
    ? `http://169.254.170.2${path}`
    : getEnv("AWS_CONTAINER_CREDENTIALS_FULL_URI");
  if (!address) throw new Error("Cannot read the secrets: the function has no credentials");
  const token = getEnv("AWS_CONTAINER_AUTHORIZATION_TOKEN");
  const headers: Record<string, string> = token ? { authorization: token } : {};
  const answer = await exchange(new URL(address), end, () => Promise.resolve({ headers }));
  const { AccessKeyId, SecretAccessKey, Token } = answer;
  return { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: Token };
}

/** Sends a request until its answer is good or can never be good, and reads the answer as JSON. */
async function exchange(url: URL, end: number, make: () => Promise<RequestInit>) {
  for (let delay = DELAY;; delay = Math.min(2 * delay, MAX_DELAY)) {
    let problem;
    try {
      const signal = AbortSignal.timeout(Math.max(1, Math.min(ATTEMPT_LIMIT, end - Date.now())));
      const response = await fetch(url, { ...await make(), signal });
      const text = await response.text();
      if (response.ok) return parse(url, text);
      problem = `${url.host} answers ${response.status}: ${describe(text)}`;
      if (!isTemporary(response.status, text)) {
        throw new Error(`Cannot read the secrets: ${problem}`);
      }
    } catch (cause) {
      const { name } = cause as Error;
      if (/^(NotCapable|PermissionDenied)$/.test(name)) { // on Deno
        throw new Error(
          `Cannot read the secrets: the function may not reach ${url.host}; add "${url.host}" to "permissions": { "net": [] } of the function`,
          { cause },
        );
      }
      if (name !== "TypeError" && name !== "TimeoutError") throw cause; // fetch() throws these two
      problem = name === "TypeError"
        ? `cannot reach ${url.host}: ${explain(cause)}`
        : `${url.host} does not answer; in a VPC, a function needs a NAT gateway or an endpoint for it`;
    }
    const pause = Math.random() * delay; // so that functions that start together do not ask together again
    if (Date.now() + pause >= end) throw new Error(`Cannot read the secrets: ${problem}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** The messages of an error and of all its causes. On Node.js, the message of `fetch()` itself is only "fetch failed". */
export function explain(error: unknown): string {
  const messages: string[] = [];
  for (let cause = error; cause instanceof Error && messages.length < 10; cause = cause.cause) {
    // The error of several addresses has no message of its own.
    const parts = cause instanceof AggregateError ? cause.errors : [];
    const message = cause.message || parts.map(({ message }) => message).join("; ");
    messages.push(message || (cause as { code?: string }).code || cause.name);
  }
  return messages.join(": ");
}

/** Reads an answer. An error of `JSON.parse()` would quote a part of it. */
function parse(url: URL, text: string) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`Cannot read the secrets: the answer of ${url.host} is not JSON`);
  }
}

/** The type and the message of an error. An error of a proxy is not JSON. */
function describe(text: string): string {
  try {
    const { __type = "", message, Message = message } = JSON.parse(text);
    return `${lastPart(__type).replace(/^.*#/, "")}: ${Message}`;
  } catch {
    return text.slice(0, 200);
  }
}

/** Tells whether the AWS SDKs would repeat a request. @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html */
function isTemporary(status: number, text: string): boolean {
  return status >= 500 || status === 429 ||
    /"[^"]*(Throttl|TooManyRequests|RequestLimitExceeded|RequestTimeout|SlowDown)[^"]*"/.test(text);
}

/** A request to sign. */
export interface Unsigned {
  readonly url: URL;
  readonly body: string;
  /** The header fields, with names in lower case. */
  readonly fields: Readonly<Record<string, string>>;
  readonly region: string;
  readonly credentials: Credentials;
  readonly date: Date;
}

/**
 * Signs a POST request to AWS Systems Manager.
 *
 * @returns All header fields of the request.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export async function sign(
  { url, body, fields, region, credentials, date }: Unsigned,
): Promise<Record<string, string>> {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const time = date.toISOString().replaceAll(/[:-]|\.\d+/g, "");
  const scope = [time.slice(0, 8), region, "ssm", "aws4_request"];
  const headers: Record<string, string> = { ...fields, "x-amz-date": time };
  if (sessionToken) headers["x-amz-security-token"] = sessionToken;
  const signed = Object.entries({ ...headers, host: url.host }).sort(([a], [b]) => a < b ? -1 : 1);
  const names = signed.map(([name]) => name).join(";");
  const canonical = [
    "POST",
    url.pathname.split("/").map(encodeURIComponent).join("/"), // AWS wants it encoded twice
    "",
    ...signed.map(([name, value]) => `${name}:${value}`),
    "",
    names,
    await hash(body),
  ].join("\n");
  const text = ["AWS4-HMAC-SHA256", time, scope.join("/"), await hash(canonical)].join("\n");
  let key = encode(`AWS4${secretAccessKey}`);
  for (const part of [...scope, text]) key = await hmac(key, part);
  const credential = `${accessKeyId}/${scope.join("/")}`;
  const authorization =
    `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${hex(key)}`;
  return { ...headers, authorization };
}

const encode = (text: string) => new TextEncoder().encode(text);

const hex = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

const hash = async (text: string) =>
  hex(new Uint8Array(await crypto.subtle.digest("SHA-256", encode(text))));

async function hmac(key: Uint8Array<ArrayBuffer>, text: string): Promise<Uint8Array<ArrayBuffer>> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, encode(text)));
}
