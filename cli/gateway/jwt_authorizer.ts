import type { JWTPayload, JWTVerifyGetKey } from "jose";
import type { JwtAuthorizer } from "../application/types.ts";
import { isObject } from "../rules/json_object.ts";
import { GatewayError, type Token } from "./protocol.ts";

/** How long the keys of an issuer are kept, in milliseconds, and how long an issuer may take to answer. */
const KEPT = 2 * 60 * 60 * 1_000;
const PATIENCE = 1_500;

/** "Currently, only RSA-based algorithms are supported." */
const ALGORITHMS = ["RS256", "RS384", "RS512"];

/**
 * The JWT authorizers of an application. They verify the tokens of issuers of OpenID Connect, and then the claims by the rules of
 * API Gateway, which are narrower than those of a library.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-jwt-authorizer.html
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
 */
export class JwtAuthorizers {
  readonly #authorizers: Readonly<Record<string, JwtAuthorizer>>;
  /** The keys by issuer. */
  readonly #issuers = new Map<string, { readonly keys: JWTVerifyGetKey; readonly end: number }>();

  constructor(authorizers: Readonly<Record<string, JwtAuthorizer>>) {
    this.#authorizers = authorizers;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#authorizers, name);
  }

  /**
   * Verifies the token of a request.
   *
   * @param scopes The scopes of which the token needs one; none if the list is empty.
   * @param valuesOf Returns the values of a source such as `header.Authorization`.
   * @param time The time of the request.
   * @throws {GatewayError} If there is no valid token (`UNAUTHORIZED`), or if it has none of the scopes (`ACCESS_DENIED`).
   */
  async verify(
    name: string,
    scopes: readonly string[],
    valuesOf: (source: string) => readonly unknown[],
    time: Date,
  ): Promise<Token> {
    const authorizer = this.#authorizers[name]!;
    const value = String(valuesOf(authorizer.identity)[0] ?? "");
    const token = value.replace(/^Bearer +/i, "");
    if (token === "") {
      const reason =
        `the request has no ${authorizer.identity}, in which "${name}" expects a token`;
      throw new GatewayError("UNAUTHORIZED", reason, "Bearer");
    }
    const refuse = (description: string, hint = "") => {
      const challenge = challengeOf([], "invalid_token", description);
      return new GatewayError(
        "UNAUTHORIZED",
        `"${name}" refuses the token: ${description}${hint}`,
        challenge,
      );
    };
    const { decodeProtectedHeader, errors, jwtVerify } = await import("jose"); // Few applications need it.
    let header;
    try {
      header = decodeProtectedHeader(token);
    } catch {
      throw refuse("the token is not a JSON Web Token");
    }
    if (!ALGORITHMS.includes(String(header.alg))) {
      throw refuse(
        `signing method ${plain(header.alg)} is invalid`,
        `: API Gateway takes ${ALGORITHMS.join(", ")}`,
      );
    }
    if (typeof header.kid !== "string") throw refuse('the token has no "kid" in its header');
    const keys = await this.#keysOf(authorizer.issuer, time).catch(({ message }: Error) => {
      throw refuse("OIDC discovery endpoint communication error", `: ${message}`);
    });
    let claims: JWTPayload;
    try {
      const options = { algorithms: ALGORITHMS, currentDate: time, requiredClaims: ["exp"] };
      claims = (await jwtVerify(token, keys, options)).payload;
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw refuse("the token has expired");
      throw refuse(plain((error as Error).message));
    }
    const problem = problemOf(claims, authorizer, time);
    if (problem !== undefined) throw refuse(...problem);
    const given = scopesOf(claims);
    const granted = scopes.filter((scope) => given.includes(scope));
    if (scopes.length > 0 && granted.length === 0) {
      const description = "the token does not have one of the scopes of the route";
      const challenge = challengeOf(scopes, "insufficient_scope", description);
      throw new GatewayError("ACCESS_DENIED", `${description}: ${scopes.join(", ")}`, challenge);
    }
    const texts = Object.entries(claims).map(([key, value]) => [key, textOf(value)]);
    return { claims: Object.fromEntries(texts), scopes: scopes.length > 0 ? granted : null };
  }

  async #keysOf(issuer: string, time: Date): Promise<JWTVerifyGetKey> {
    const known = this.#issuers.get(issuer);
    if (known !== undefined && time.getTime() < known.end) return known.keys;
    if (issuer.includes("${")) {
      throw new Error(
        `the issuer ${issuer} is known in the account only: name another one for this machine in a stage`,
      );
    }
    const { createRemoteJWKSet } = await import("jose");
    const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const keySet = keySetOf(await readConfiguration(url), issuer);
    const options = { cacheMaxAge: KEPT, timeoutDuration: PATIENCE };
    const keys = createRemoteJWKSet(keySet, options);
    this.#issuers.set(issuer, { keys, end: time.getTime() + KEPT });
    return keys;
  }
}

/** Reads the OpenID configuration of an issuer. It may not lead to another address, such as one of this machine. */
async function readConfiguration(url: string): Promise<unknown> {
  try {
    const signal = AbortSignal.timeout(PATIENCE);
    const response = await fetch(url, { signal, redirect: "error" });
    if (response.ok) return await response.json();
    await response.body?.cancel();
    throw new Error(`it answered ${response.status}`);
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`the keys of the issuer cannot be read from ${url}: ${message}`);
  }
}

/**
 * Reads where the keys of an issuer are. Only an issuer on this machine may have them here: another one could let the platform
 * send requests to programs of the developer.
 */
export function keySetOf(configuration: unknown, issuer: string): URL {
  const { jwks_uri: place } = isObject(configuration) ? configuration : {};
  const keySet = URL.parse(String(place));
  const isSafe = keySet !== null && !isLocal(keySet) && keySet.protocol === "https:";
  if (isSafe || keySet !== null && isLocal(keySet) && isLocal(new URL(issuer))) return keySet;
  const shown = JSON.stringify(place);
  throw new Error(
    `the "jwks_uri" of ${issuer} must be an https URL of another machine, not ${shown}`,
  );
}

const isLocal = ({ hostname }: URL) => /^(.+\.)?localhost$|^127\.|^\[::1\]$/.test(hostname);

/** Says which claim is wrong, and what the manifest says. */
function problemOf(
  { iss, aud, client_id: client, nbf, iat }: JWTPayload,
  { issuer, audience }: JwtAuthorizer,
  time: Date,
): [description: string, hint: string] | undefined {
  const now = time.getTime() / 1_000;
  if (iss !== issuer) {
    return [
      "the token does not have a valid issuer",
      `: it has ${JSON.stringify(iss)}, not ${JSON.stringify(issuer)}`,
    ];
  }
  const named = [aud ?? client ?? []].flat();
  if (!named.some((one) => audience.includes(String(one)))) {
    const hint = `: it has ${JSON.stringify(aud ?? client)}, not one of ${
      JSON.stringify(audience)
    }`;
    return ["the token does not have a valid audience", hint];
  }
  if (nbf !== undefined && nbf > now) return ["the token is not valid yet", ""];
  if (iat !== undefined && iat > now) return ["the token was issued in the future", ""];
}

/** The scopes of a token: those of `scope`, which are separated by spaces, or of `scp`. */
function scopesOf({ scope, scp }: JWTPayload): string[] {
  return [scope ?? scp ?? []].flat().flatMap((text) => String(text).split(" "));
}

/** Writes a claim as the event has it: lists and objects as the language Go prints them. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join(" ")}]`;
  if (!isObject(value)) return String(value);
  const entries = Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1);
  return `map[${entries.map(([key, member]) => `${key}:${textOf(member)}`).join(" ")}]`;
}

/** Makes a text that can be in the quotes of a header field. */
function plain(value: unknown): string {
  return String(value).replaceAll('"', "'").replaceAll(/[^\x20-\x7e]|\\/g, "?").slice(0, 100);
}

/** Makes a `WWW-Authenticate` (RFC 6750, section 3). */
function challengeOf(scopes: readonly string[], error: string, description: string): string {
  return `Bearer scope="${scopes.join(" ")}" error="${error}" error_description="${
    plain(description)
  }"`;
}
