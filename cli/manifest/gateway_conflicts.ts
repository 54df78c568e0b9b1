import { METHODS } from "../rules/router.ts";
import { hintOf } from "./nearest.ts";
import { type Conflict, triggersOf } from "./triggers.ts";
import type { GatewayCors, Manifest } from "./types.ts";

type Path = Conflict["path"];

/** Finds what the HTTP gateway cannot have, or cannot have together. */
export function* findGatewayConflicts(manifest: Manifest): Generator<Conflict> {
  yield* missingMethods(manifest);
  yield* sameRoutes(manifest);
  yield* KINDS[manifest.gateway](manifest);
  yield* findAuthorizerConflicts(manifest);
  yield* findTokenConflicts(manifest);
  yield* findCorsConflicts(manifest);
  yield* findDomainConflicts(manifest);
}

/** Finds what only the other kind of gateway has. */
const KINDS: Readonly<Record<Manifest["gateway"], (manifest: Manifest) => Generator<Conflict>>> = {
  *rest(manifest) {
    yield* otherVariables(manifest);
    for (const { trigger, path } of triggersOf(manifest, "routes")) {
      if (trigger.path !== "$default") continue;
      const message = 'needs "gateway": "http". A REST API takes ANY / and ANY /{proxy+} instead';
      yield { path: [...path, "path"], message };
    }
    for (const [name, { identity }] of Object.entries(manifest.authorizers)) {
      if (identity.startsWith("header.")) continue;
      const message =
        'must be a header.NAME, because a REST API reads tokens of headers only; "gateway": "http" has others';
      yield { path: ["authorizers", name, "identity"], message };
    }
    for (const [owner, { authorizes }] of Object.entries(manifest.functions)) {
      if (authorizes !== "simple") continue;
      const message =
        'needs "gateway": "http". An authorizer of a REST API returns a policy ("request")';
      yield { path: ["functions", owner, "authorizes"], message };
    }
    yield* wrongSources(manifest, "routeKey", "context.resourcePath and context.httpMethod");
  },
  *http(manifest) {
    for (const { trigger, path } of triggersOf(manifest, "routes")) {
      if (!trigger.stream) continue;
      const message =
        'must be false, because an HTTP API cannot stream: use "gateway": "rest", or the trigger "url" of the function with "stream"';
      yield { path: [...path, "stream"], message };
    }
    for (const [owner, { authorizes }] of Object.entries(manifest.functions)) {
      if (authorizes !== "token") continue;
      const message =
        'needs "gateway": "rest". An authorizer of an HTTP API gets the whole request ("request" or "simple")';
      yield { path: ["functions", owner, "authorizes"], message };
    }
    yield* wrongSources(manifest, "resourcePath", "context.routeKey");
    if (manifest.cors?.origin === undefined) return;
    const message =
      'is of a REST API: with "gateway": "http", use "origins", which also answers preflights';
    yield { path: ["cors", "origin"], message };
  },
};

/** Finds settings that only authorizers of tokens have, or that they cannot have. */
function* findTokenConflicts({ functions }: Manifest): Generator<Conflict> {
  for (const [owner, { authorizes, identity, validation }] of Object.entries(functions)) {
    const path = ["functions", owner];
    if (authorizes === "token" && !(identity.length === 1 && identity[0]!.startsWith("header."))) {
      const message =
        'must be one header, such as ["header.Authorization"], because "authorizes" is "token"';
      yield { path: [...path, "identity"], message };
    }
    if (authorizes !== "token" && validation !== undefined) {
      yield { path: [...path, "validation"], message: 'needs "authorizes": "token"' };
    }
  }
}

function* wrongSources(manifest: Manifest, source: string, instead: string): Generator<Conflict> {
  for (const [owner, { identity }] of Object.entries(manifest.functions)) {
    const index = identity.indexOf(`context.${source}`);
    if (index < 0) continue;
    const message = `is not in ${NAMES[manifest.gateway]}: use ${instead}`;
    yield { path: ["functions", owner, "identity", index], message };
  }
}

const NAMES = { rest: "a REST API", http: "an HTTP API" } as const;

function* missingMethods(manifest: Manifest): Generator<Conflict> {
  for (const { trigger: { method, path: route }, path } of triggersOf(manifest, "routes")) {
    const at = [...path, "method"];
    if (route !== "$default" && method === undefined) {
      const methods = ["ANY", ...METHODS].map((one) => JSON.stringify(one)).join(", ");
      yield { path: at, message: `is missing: expected one of ${methods}` };
    } else if (route === "$default" && method !== undefined) {
      yield { path: at, message: "must be absent, because $default takes every method" };
    }
  }
}

function* sameRoutes(manifest: Manifest): Generator<Conflict> {
  const owners = new Map<string, string>();
  for (const { owner, trigger, path } of triggersOf(manifest, "routes")) {
    const route = `${trigger.method ?? ""} ${trigger.path}`.trim();
    const key = route.replaceAll(/\{\w+/g, "{"); // The names of variables make no difference.
    const other = owners.get(key);
    owners.set(key, owner);
    if (other === undefined) continue;
    yield { path, message: `must be another route than ${route}, which "${other}" has` };
  }
}

/** Finds routes with different variables at the same place, because a REST API takes one variable there. */
function* otherVariables(manifest: Manifest): Generator<Conflict> {
  const firsts = new Map<string, { readonly variable: string; readonly owner: string }>();
  for (const { owner, trigger, path } of triggersOf(manifest, "routes")) {
    for (const { 0: variable, index } of trigger.path.matchAll(/\{[^}]*\}/g)) {
      const parent = trigger.path.slice(0, index);
      const first = firsts.get(parent) ?? { variable, owner };
      firsts.set(parent, first);
      if (first.variable === variable) continue;
      yield {
        path: [...path, "path"],
        message: `must have ${first.variable} after "${parent}", not ${variable}: ` +
          `"${first.owner}" has ${first.variable}, and a REST API takes one variable there`,
      };
    }
  }
}

/** Finds authorizers that do not exist or that two things are named after, and scopes that nobody checks. */
function* findAuthorizerConflicts(manifest: Manifest): Generator<Conflict> {
  const { functions, authorizers } = manifest;
  for (const name of Object.keys(authorizers)) {
    if (!Object.hasOwn(functions, name)) continue;
    const message = "must have another name: a function has this name, and a route names either";
    yield { path: ["authorizers", name], message };
  }
  for (const { owner, trigger: { authorizer, scopes }, path } of triggersOf(manifest, "routes")) {
    const isJwt = authorizer !== undefined && Object.hasOwn(authorizers, authorizer);
    if (scopes.length > 0 && !isJwt) {
      const message =
        'needs an "authorizer" of the manifest\'s "authorizers": only JWT authorizers check scopes';
      yield { path: [...path, "scopes"], message };
    }
    if (authorizer === undefined || isJwt) continue;
    const at = [...path, "authorizer"];
    if (!Object.hasOwn(functions, authorizer)) {
      const others = [
        ...Object.keys(functions).filter((name) => name !== owner),
        ...Object.keys(authorizers),
      ];
      const hint = others.length > 0 ? hintOf(authorizer, others) : "add the function first";
      yield { path: at, message: `must be a function or an authorizer of the manifest: ${hint}` };
    } else if (authorizer === owner) {
      yield { path: at, message: "must be another function than the function of the route" };
    }
  }
}

function* findCorsConflicts({ cors, functions }: Manifest): Generator<Conflict> {
  for (const [owner, { triggers: { url } }] of Object.entries(functions)) {
    if (url?.cors) yield* wildcards(url.cors, ["functions", owner, "triggers", "url", "cors"]);
  }
  if (cors === undefined) return;
  yield* wildcards(cors, ["cors"]);
  const { origin, origins, ...others } = cors;
  if (origin !== undefined && origins !== undefined) {
    const message = 'must be absent beside "origins", which also counts for the own answers';
    yield { path: ["cors", "origin"], message };
  } else if (origins === undefined) {
    for (const key of origin === undefined ? ["origins"] : Object.keys(others)) {
      const message = key === "origins"
        ? "is missing: expected the origins of the pages, such as https://app.example"
        : 'needs "origins" in place of "origin"';
      yield { path: ["cors", key], message };
    }
  }
}

function* wildcards(cors: GatewayCors, path: Path): Generator<Conflict> {
  if (!cors.credentials) return;
  for (const name of ["origins", "methods", "headers", "exposeHeaders"] as const) {
    if (!cors[name]?.includes("*")) continue; // With credentials, a browser refuses "*" or takes it for a name (Fetch §3.2.5).
    yield { path: [...path, name], message: "must name each one if credentials is true, not *" };
  }
}

/** Finds a domain that leads nowhere. */
function* findDomainConflicts(manifest: Manifest): Generator<Conflict> {
  if (manifest.settings.domain === undefined || triggersOf(manifest, "routes").length > 0) return;
  const message = "leads to the HTTP gateway, which is empty: add a route to a function";
  yield { path: ["settings", "domain"], message };
}
