import { assertEquals, assertThrows } from "@std/assert";
import { manifestText, withF } from "../testdata/manifest.ts";
import { parseManifest } from "./manifest.ts";

const parse = (text: string, stage?: string) => parseManifest(text, "app.json", stage);

/** A manifest with a queue, a route and the given stages. */
const withStages = (stages: object, others: object = {}) =>
  manifestText({
    functions: {
      f: {
        module: "f.ts",
        environment: { LEVEL: "1", MODE: "test" },
        triggers: { routes: [{ method: "GET", path: "/" }], url: {} },
        permissions: { net: ["a.example"] },
      },
    },
    queues: { jobs: { retries: 1 } },
    stages,
    ...others,
  });

Deno.test("parseManifest() merges the overrides of a stage key by key, replaces lists, and removes null", () => {
  const text = withStages({
    prod: {
      region: "eu-west-3",
      functions: {
        f: {
          memory: 1024,
          environment: { LEVEL: "2" },
          triggers: { url: null },
          permissions: { net: ["b.example"] },
        },
      },
      settings: { logs: { days: 365 } },
    },
  });
  const [base, named, prod] = [parse(text), parse(text, "v0"), parse(text, "prod")];
  assertEquals(named, base);
  assertEquals([base.name, base.stage, base.furtherStage], ["app", "v0", undefined]);
  assertEquals([prod.name, prod.stage, prod.furtherStage], ["app-prod", "prod", "prod"]);
  const { f } = prod.functions;
  assertEquals([base.functions.f!.memory, f!.memory], [128, 1024]);
  assertEquals(f!.environment, { LEVEL: "2", MODE: "test" });
  assertEquals(f!.triggers.url, undefined);
  assertEquals(f!.permissions.net, ["b.example"]);
  assertEquals([prod.region, prod.settings.logs.days], ["eu-west-3", 365]);
  assertEquals(prod.queues, base.queues);
});

Deno.test("parseManifest() lets stages share an output of infra as their domain, which may differ", () => {
  const settings = { domain: { ...DOMAIN, name: "${infra.domain}" } };
  const { domain } = parse(withStages({ prod: {} }, { settings }), "prod").settings;
  assertEquals(domain?.name, "${infra.domain}");
});

Deno.test("parseManifest() gives each stage its own state", () => {
  const state = "s3://states/app.tfstate";
  const text = withStages({ qa: {}, prod: { state: "s3://others/app.tfstate" } }, { state });
  assertEquals(["v0", "qa", "prod"].map((stage) => parse(text, stage).state), [
    state,
    `${state}@qa`,
    "s3://others/app.tfstate",
  ]);
  assertEquals(parse(withStages({ qa: {} }), "qa").state, undefined);
});

const DOMAIN = { name: "shop.example", certificate: "${infra.certificate}" };

const WRONG: readonly (readonly [text: string, message: string, stage?: string])[] = [
  [withStages({ prod: {} }), ': it has no stage "prdo": did you mean "prod"?', "prdo"],
  [
    withF({}),
    ': it has no stage "prod": expected one of v0, or add it to "stages"',
    "prod",
  ],
  [
    withStages({ prod: { functions: { mailer: { memory: 256 }, ff: {} }, queues: { mail: {} } } }),
    `:
  "stages.prod.functions.mailer" must be one of the "functions" of the manifest: add it there first
  "stages.prod.functions.ff" must be one of the "functions" of the manifest: did you mean "f"?
  "stages.prod.queues.mail" must be one of the "queues" of the manifest: add it there first`,
  ],
  [
    withStages({ prod: { functions: { f: { memroy: 256 } } } }),
    ' for the stage "prod": "functions.f.memroy" is not a key of "functions.f": did you mean "memory"?',
  ],
  [
    withStages({ prod: { functions: { f: { memory: 64 } } } }),
    ' for the stage "prod": "functions.f.memory" must be a whole number from 128 to 10240',
  ],
  [
    withStages({ prod: { functions: { f: { module: null } } } }),
    ' for the stage "prod": "functions.f.module" is missing: expected a string',
  ],
  [withStages({ v0: {} }), ': "stages.v0" must have another name than "stage"'],
  [
    withStages({ prod: {} }, { settings: { domain: DOMAIN } }),
    ': "stages.prod.settings.domain.name" must be another domain than "shop.example", which "v0" has',
  ],
  [
    withStages({ prod: { state: "s3://states/a" }, qa: { state: "s3://states/a" } }),
    ': "stages.qa.state" must be another place than "s3://states/a", which "prod" has',
  ],
  [
    withF(
      { uses: { topics: { "prod-news": "publish" } } },
      { queues: { "prod-jobs": {}, prod: {} }, stages: { prod: {} } },
    ),
    `:
  The name "prod-news" must not be "prod" or begin with "prod-", because "prod" is a stage
  The name "prod-jobs" must not be "prod" or begin with "prod-", because "prod" is a stage
  The name "prod" must not be "prod" or begin with "prod-", because "prod" is a stage`,
  ],
];

Deno.test("parseManifest() refuses a wrong stage with the key and the remedy, whichever stage is asked for", () => {
  for (const [text, message, stage] of WRONG) {
    const error = assertThrows(() => parse(text, stage), Error, "", message);
    assertEquals(error.message, `Cannot use the manifest "app.json"${message}`);
  }
});
