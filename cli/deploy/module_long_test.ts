/**
 * Tests what the Terraform module does with each member of the application, without a cloud: `terraform test` applies the
 * module with the real schema of the provider, and makes up what only AWS knows.
 */
import { assertEquals } from "@std/assert";
import { succeed, temporaryFolder } from "../../testdata/programs.ts";
import { resolveApplication } from "../application/resolve.ts";
import type { Application } from "../application/types.ts";
import { parseManifest } from "../manifest/manifest.ts";
import { FULL } from "../testdata/manifest.ts";
import { cloudEnvironment, missingTools } from "./testdata/cloud_tools.ts";
import { writeModule } from "./root_module.ts";
import { identities, resourcesOf, type Values } from "./testdata/module_resources.ts";

const missing = (await missingTools()).filter((tool) => /^terraform$|provider/.test(tool));
if (missing.length > 0) console.error(`NOT RUN: the Terraform module. Missing: ${missing}`);

const INFRA: Readonly<Record<string, string>> = {
  pager_arn: "arn:aws:sns:eu-west-1:123456789012:pager",
  certificate_arn: "arn:aws:acm:eu-west-1:123456789012:certificate/shop",
};
/** The provider of these tests knows no newer runtime of Node.js. */
const FULL_22 = FULL.replace("nodejs24.x", "nodejs22.x");
const resolved = (text: string) =>
  resolveApplication(parseManifest(text, "app.json"), {
    partition: "aws",
    account: "123456789012",
    region: "eu-west-1",
    queues: "https://sqs.eu-west-1.amazonaws.com/123456789012",
    infra: (name) => INFRA[name] ?? name,
  });

/** The same application behind an HTTP API, which cannot stream, and has `$default`. */
function withHttpApi(text: string): string {
  const { functions, ...manifest } = JSON.parse(text);
  for (const route of functions.orders.triggers.routes) delete route.stream;
  const { authorizes: _, validation: __, ...changes } = functions.changes; // it authorizes tokens
  functions.changes = { ...changes, ttl: 60 };
  functions.orders.triggers.routes.push({ path: "$default", authorizer: "check" });
  return JSON.stringify({ ...manifest, gateway: "http", functions });
}

/**
 * What the root module does: tags, the place and the claim of the name. AWS makes the ARNs. The schedules of a function are
 * names among the rules and the schedules of the application. Its code is in its bundle.
 */
const OF_ROOT =
  /^((settings\.)?tags|secrets)\.|^(partition|region|name|api|logGroup\.name|gateway\.prefix)$|\.arn$|^functions\.\w+\.(schedules|code)\./;

/** Records which members of a value are read, as paths. */
function watched<Value>(value: Value, seen: Set<string>, path = ""): Value {
  if (typeof value !== "object" || value === null) return value;
  return new Proxy(value, {
    get(target, key) {
      const member = Reflect.get(target, key);
      if (typeof key === "symbol" || !Object.hasOwn(target, key)) return member;
      seen.add(`${path}${key}`);
      return watched(member, seen, `${path}${key}.`);
    },
  });
}

function* leavesOf(value: unknown, path = ""): Generator<string> {
  if (typeof value !== "object" || value === null) return yield path.slice(0, -1);
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) yield* leavesOf(member, `${path}${key}.`);
  }
}

/** Takes the named members of a value only, and reads texts of JSON where objects are expected. */
function pick(actual: unknown, wanted: unknown): unknown {
  if (typeof wanted !== "object" || wanted === null) return actual;
  if (typeof actual === "string") return JSON.parse(actual);
  if (Array.isArray(wanted) && Array.isArray(actual)) {
    return actual.map((one, index) => pick(one, wanted[Math.min(index, wanted.length - 1)]));
  }
  if (typeof actual !== "object" || actual === null) return actual;
  return Object.fromEntries(
    Object.keys(wanted).map((key) => [key, pick((actual as Values)[key], (wanted as Values)[key])]),
  );
}

/** What only the other kind of gateway reads, or only the local platform. */
const UNUSED: Readonly<Record<string, RegExp>> = {
  rest: /^$/,
  http:
    /^gateway\.(origin|routes\.\d+\.stream|preflights)|^(stage|tracing)$|^settings\.binaryMediaTypes/,
};

for (const [kind, text] of [["rest", FULL_22], ["http", withHttpApi(FULL_22)]] as const) {
  Deno.test({
    name: `the Terraform module makes resources of every member of the application (${kind})`,
    ignore: missing.length > 0,
    fn: () => check(resolved(text), UNUSED[kind]!),
  });
}

async function check(application: Application, ofOthers: RegExp): Promise<void> {
  const folder = temporaryFolder();
  const env = await cloudEnvironment(folder, "http://127.0.0.1:1");
  await writeModule(folder);
  await Deno.mkdir(`${folder}/bundles`);
  for (
    const name of [`layer-${application.architecture}`, ...Object.keys(application.functions)]
  ) {
    await Deno.writeTextFile(`${folder}/bundles/${name}.zip`, name);
  }
  await Deno.writeTextFile(
    `${folder}/main.tf.json`,
    JSON.stringify({
      provider: { aws: {} },
      module: {
        application: {
          source: "./module",
          application: '${jsondecode(file("application.json"))}',
          bundles: "bundles",
          delete_data: false,
        },
      },
    }),
  );
  const nulls = (_key: string, value: unknown) => value === undefined ? null : value;
  await Deno.writeTextFile(`${folder}/application.json`, JSON.stringify(application, nulls));
  const overrides = Object.entries(identities(application)).map(([address, values]) => ({
    target: `module.application.${address}`,
    values,
  }));
  await Deno.mkdir(`${folder}/tests`);
  await Deno.writeTextFile(
    `${folder}/tests/module.tftest.json`,
    JSON.stringify({
      mock_provider: { aws: { override_resource: overrides } },
      run: { module: { command: "apply" } },
    }),
  );
  await succeed("terraform", ["init", "-no-color"], { cwd: folder, env });
  const output = await succeed("terraform", ["test", "-json", "-verbose"], { cwd: folder, env });
  const { test_state: state } = output.trim().split("\n").map((line) => JSON.parse(line))
    .find(({ type }) => type === "test_state");
  const resources: readonly { address: string; values: Values }[] =
    state.root_module.child_modules[0].resources;

  const seen = new Set<string>();
  const wanted = resourcesOf(watched(application, seen));
  const found = Object.fromEntries(
    resources.map(({ address, values }) => [address.replace("module.application.", ""), values])
      .filter(([address]) => !(address as string).startsWith("terraform_data.")),
  );
  assertEquals(Object.keys(found).sort(), Object.keys(wanted).sort());
  for (const [address, values] of Object.entries(wanted)) {
    assertEquals(pick(found[address], values), JSON.parse(JSON.stringify(values)), address);
  }
  const unused = [...leavesOf(application)].filter((path) =>
    !seen.has(path) && !OF_ROOT.test(path) && !ofOthers.test(path)
  );
  assertEquals(unused, []);
}
