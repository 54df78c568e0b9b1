import { assert, assertEquals, assertRejects } from "@std/assert";
import { parseManifest } from "../../../cli/manifest/manifest.ts";
import type { Checkout } from "./checkout.ts";
import type { Cloud } from "./cloud.ts";
import { CHECKS, type Expected } from "./deployed.ts";
import type { Emulator } from "./emulator.ts";

const CRASH = '{ "method": "ANY", "path": "/crash" }';
const NEW = '{ "method": "GET", "path": "/a/{b}/c" }';

/** The steps that change the routes of what is deployed; they end with neither of both routes. */
export async function routeChanges(
  t: Deno.TestContext,
  { emulator, checkout, cloud, expected }: {
    readonly emulator: Emulator;
    readonly checkout: Checkout;
    readonly cloud: Cloud;
    readonly expected: Expected;
  },
): Promise<void> {
  const stage = async () => (await cloud.gateways())[0]?.stages[0]?.deploymentId;
  const formats = async () => {
    const functions = await cloud.functions();
    return new Set(functions.values().map(({ LoggingConfig }) => LoggingConfig?.LogFormat));
  };

  /** Changes the manifest, deploys, and checks that the stage has the routes of the manifest. */
  const change = async (
    from: string,
    to: string,
    { env = {}, interruption }: {
      readonly env?: Record<string, string>;
      readonly interruption?: RegExp;
    } = {},
  ) => {
    await checkout.edit("examples/app.json", (text) => text.replace(from, to));
    const before = await stage();
    const requests = await record(emulator, async () => {
      if (interruption) await interrupt(checkout, interruption);
      const { code, output } = await checkout.script("deploy.sh", ["--yes"], { env });
      assertEquals(code, 0, output);
    });
    assert(await stage() !== before, "the stage has a new deployment");
    // Or every later run would deploy the gateway once more.
    await assertRejects(() => checkout.read("examples/.state/stale"), Deno.errors.NotFound);
    const snapshot = requests.findLastIndex((request) => /^POST .*\/deployments$/.test(request));
    const changed = requests.findLastIndex((request) => {
      return /^(PUT|POST|DELETE) .*\/(resources|methods|integration)\b/.test(request);
    });
    assert(changed >= 0 && snapshot > changed, `a later request:\n${requests.join("\n")}`);
    const manifest = parseManifest(await checkout.read("examples/app.json"), "app.json");
    await CHECKS["the gateway has the manifest's routes, stage, binary types and throttling"]!(
      cloud,
      { ...expected, manifest },
    );
  };

  // The format of the logs changes with them, for every run of `deploy.sh` takes its time.
  await t.step(
    "a new route reaches the stage; the logs become JSON where that is chosen",
    async () => {
      await change(CRASH, `${CRASH}, ${NEW}`, { env: { TF_VAR_log_format: "JSON" } });
      assertEquals(await formats(), new Set(["JSON"]));
    },
  );

  await t.step(
    "the stage is deployed after a route was removed; the logs become text again",
    async () => {
      await change(`${CRASH}, `, "");
      assertEquals(await formats(), new Set(["Text"]));
    },
  );

  await t.step(
    "the same where the removal was interrupted",
    () => change(NEW, "", { interruption: /aws_api_gateway_resource\S+: Destruction complete/ }),
  );
}

/** Runs `deploy.sh` until it prints something, and interrupts it there. */
async function interrupt(checkout: Checkout, printed: RegExp): Promise<void> {
  let interrupted = false;
  const { code, output } = await checkout.script("deploy.sh", ["--yes"], {
    watch(output, group) {
      if (interrupted || !printed.test(output)) return;
      interrupted = true;
      new Deno.Command("kill", { args: ["-INT", "--", `-${group}`] }).outputSync();
    },
  });
  assertEquals([code, interrupted], [1, true], output);
}

/** The requests to the gateways that change something, in order. */
async function record(emulator: Emulator, run: () => Promise<void>): Promise<readonly string[]> {
  const requests: string[] = [];
  emulator.done = ({ method, url }) => {
    const { pathname } = new URL(url);
    if (method !== "GET" && pathname.startsWith("/restapis")) {
      requests.push(`${method} ${pathname}`);
    }
  };
  try {
    await run();
  } finally {
    emulator.done = () => {};
  }
  return requests;
}
