import { nameOf, type Problem } from "../manifest/checker.ts";
import type { Manifest } from "../manifest/types.ts";
import {
  API,
  MAX_ENVIRONMENT,
  MAX_PATTERN,
  MAX_PROJECTION,
  MAX_ROLE_POLICY,
  MAX_RULE_INPUT,
  MAX_SECURITY_GROUPS,
  MAX_SUBNETS,
  MAX_TAGS,
  type NameLimit,
  NAMES,
} from "../rules/limits.ts";
import type { Application } from "./types.ts";

/** A name in the account, and the keys of the manifest that lead to the part that the user chose. */
interface PhysicalName {
  readonly limit: NameLimit;
  readonly name: string;
  readonly path: readonly (string | number)[];
}

/** Says what the account would refuse: names that are too long or used for two things, and what is too large or too many. */
export function accountProblems(application: Application, manifest: Manifest): Problem[] {
  const names = [...namesOf(application, manifest)];
  const long = Map.groupBy(
    names.filter(({ name, limit }) => name.length > limit.most),
    ({ path }) => path.join("."),
  );
  return [
    ...[...long.values()].map((found) => wordLength(found)),
    ...repeatedNames(names),
    ...sizeProblems(application),
    ...countProblems(application),
    ...placeProblems(manifest),
  ];
}

function* namesOf(application: Application, manifest: Manifest): Generator<PhysicalName> {
  for (const [key, { name, role, url }] of Object.entries(application.functions)) {
    const path = ["functions", key];
    yield { limit: NAMES.function, name, path };
    yield { limit: NAMES.role, name: role, path };
    if (url !== undefined) yield { limit: NAMES.stack, name: url.stack, path };
  }
  for (const kind of ["rules", "schedules"] as const) {
    for (const [name, { function: key }] of Object.entries(application[kind])) {
      const limit = kind === "rules" ? NAMES.rule : NAMES.schedule;
      yield { limit, name, path: ["functions", key] };
    }
  }
  if (application.scheduler !== undefined) {
    yield { limit: NAMES.role, name: application.scheduler.role, path: ["name"] };
  }
  for (const [key, { name }] of Object.entries(application.buckets)) {
    yield { limit: NAMES.bucket, name, path: pathOf(manifest, "buckets", key) };
  }
  for (const [key, { name }] of Object.entries(application.topics)) {
    yield { limit: NAMES.topic, name, path: pathOf(manifest, "topics", key) };
  }
  for (const [key, { name, deadLetters }] of Object.entries(application.queues)) {
    yield { limit: NAMES.queue, name, path: ["queues", key] };
    yield { limit: NAMES.queue, name: deadLetters.name, path: ["queues", key] };
  }
  for (const [key, { name, listeners }] of Object.entries(application.tables)) {
    yield { limit: NAMES.table, name, path: ["tables", key] };
    for (const { deadLetters } of listeners) {
      yield { limit: NAMES.queue, name: deadLetters.name, path: ["tables", key] };
    }
  }
}

/** The keys that lead to the first place where the manifest names a bucket or a topic. */
function pathOf({ functions, buckets }: Manifest, kind: "buckets" | "topics", key: string) {
  if (kind === "buckets" && Object.hasOwn(buckets, key)) return [kind, key];
  for (const [owner, { triggers, uses }] of Object.entries(functions)) {
    const index = triggers[kind].findIndex(({ name }) => name === key);
    if (index >= 0) return ["functions", owner, "triggers", kind, index, "name"];
    if (Object.hasOwn(uses[kind], key)) return ["functions", owner, "uses", kind, key];
  }
  return [kind, key];
}

function problem(path: Problem["path"], text: string): Problem {
  return { path, text: `${nameOf(path)} ${text}` };
}

/** Says by how much a part of too long names must be shorter. If the part is too short for that, the application's name must. */
function wordLength(names: readonly PhysicalName[]): Problem {
  const excess = ({ name, limit }: PhysicalName) => name.length - limit.most;
  const [worst] = names.toSorted((a, b) => excess(b) - excess(a));
  const { name, path, limit: { noun, service, most } } = worst!;
  const over = excess(worst!);
  return problem(
    path,
    `is ${over} ${over === 1 ? "character" : "characters"} too long: ` +
      `the ${noun} "${name}" has ${name.length}, and ${service} allows ${most}; ` +
      `shorten this name${path[0] === "name" ? "" : ' or "name"'}`,
  );
}

function* repeatedNames(names: readonly PhysicalName[]): Generator<Problem> {
  const found = new Map<string, string>();
  for (const { name, path, limit: { noun } } of names) {
    const other = found.get(`${noun} ${name}`);
    found.set(`${noun} ${name}`, nameOf(path));
    if (other === undefined) continue;
    yield problem(
      path,
      `must have another name: the ${noun} "${name}" belongs to ${other} already`,
    );
  }
}

function* sizeProblems({ functions, rules }: Application): Generator<Problem> {
  for (const { function: key, input = "", pattern } of Object.values(rules)) {
    if (input.length > MAX_RULE_INPUT) {
      yield problem(
        ["functions", key],
        `has a schedule whose input has ${input.length} characters, ` +
          `and Amazon EventBridge allows ${MAX_RULE_INPUT}: shorten it, or keep it in a bucket`,
      );
    }
    const { length } = JSON.stringify(pattern) ?? "";
    if (length > MAX_PATTERN) {
      yield problem(
        ["functions", key],
        `has an event pattern of ${length} characters, ` +
          `and Amazon EventBridge allows ${MAX_PATTERN}: divide it into two`,
      );
    }
  }
  for (const [key, { environment, statements }] of Object.entries(functions)) {
    const text = Object.entries(environment).flat().join("");
    if (new TextEncoder().encode(text).length > MAX_ENVIRONMENT) {
      yield problem(
        ["functions", key, "environment"],
        `must have at most ${MAX_ENVIRONMENT} bytes, names and values together`,
      );
    }
    const { length } = JSON.stringify({ Version: "2012-10-17", Statement: statements });
    if (length > MAX_ROLE_POLICY) {
      yield problem(
        ["functions", key],
        `has rights of ${length} characters, and AWS IAM allows ${MAX_ROLE_POLICY}: ` +
          'join "statements", or use fewer resources',
      );
    }
  }
}

function* placeProblems({ region, settings }: Manifest): Generator<Problem> {
  const [, , , place] = settings.domain?.certificate.split(":") ?? [];
  if (region === undefined || place === undefined || place === region) return;
  yield problem(
    ["settings", "domain", "certificate"],
    `must be in "${region}" as the application, not in "${place}"`,
  );
}

function* countProblems({ settings, tags, tables, gateway }: Application): Generator<Problem> {
  const { vpc, tags: chosen } = settings;
  const own = Object.keys(tags).length - Object.keys(chosen).length;
  const projections = Object.entries(tables).flatMap(([table, { indexes }]) =>
    Object.entries(indexes).map(([index, { included = [] }]) =>
      [["tables", table, "indexes", index, "projection"], included.length, MAX_PROJECTION] as const
    )
  );
  const { routes = [], authorizers = {}, jwtAuthorizers = {} } = gateway ?? {};
  const names = [...Object.keys(authorizers), ...Object.keys(jwtAuthorizers)];
  if (routes.length > API.routes) {
    const text = `must have at most ${API.routes} routes, not ${routes.length}: ` +
      "serve several by one with {path+}";
    yield problem(["functions"], text);
  }
  const audiences = Object.entries(jwtAuthorizers).map(([name, { audience }]) =>
    [["authorizers", name, "audience"], audience.length, API.audiences] as const
  );
  const scopes = routes.map((route) =>
    [["functions", route.function, "triggers", "routes"], route.scopes.length, API.scopes] as const
  );
  for (
    const [path, count, most] of [
      ...audiences,
      [["authorizers"], names.length, API.authorizers] as const,
      [["settings", "tags"], Object.keys(chosen).length, MAX_TAGS - own],
      [["settings", "vpc", "subnets"], vpc?.subnets.length ?? 0, MAX_SUBNETS],
      [["settings", "vpc", "securityGroups"], vpc?.securityGroups.length ?? 0, MAX_SECURITY_GROUPS],
      ...projections,
    ] as const
  ) {
    if (count > most) yield problem(path, `must have at most ${most} members, not ${count}`);
  }
  for (const [path, count, most] of scopes) {
    if (count > most) yield problem(path, `must have at most ${most} scopes a route, not ${count}`);
  }
}
