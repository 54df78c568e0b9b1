/**
 * Deploys the example application to an emulated cloud with the real scripts, reads everything back, changes
 * it, and removes it. `deno task test:deploy` runs it; it takes minutes.
 *
 * @module
 */
import { assert, assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import { parseManifest } from "../../../cli/manifest/manifest.ts";
import { Checkout, type Outcome } from "./checkout.ts";
import { Cloud } from "./cloud.ts";
import { manifestDefaults, terraformDefaults } from "./defaults.ts";
import { CHECKS, type Expected } from "./deployed.ts";
import { Emulator } from "./emulator.ts";
import { failures } from "./failures.ts";
import { routeChanges } from "./routes.ts";
import { exists, findTools } from "./tools.ts";

const root = new URL("../../../", import.meta.url);
const tools = await findTools();
if (tools.missing.length > 0) {
  console.error(
    `\nNOT RUN: the proof of the deployment. Missing:\n- ${tools.missing.join("\n- ")}\n`,
  );
}

/** The script must end well; its output is shown if not. */
function assertDone({ code, output }: Outcome): string {
  assertEquals(code, 0, output);
  return output;
}

Deno.test({
  name: "examples/deploy.sh and undeploy.sh, against an emulated cloud",
  ignore: tools.missing.length > 0,
  sanitizeOps: false, // the emulator's connections are kept alive
  sanitizeResources: false,
  async fn(t) {
    await using emulator = await Emulator.start();
    await using checkout = await Checkout.make(root, tools, emulator.url);
    using cloud = new Cloud(emulator.url);
    const manifest = parseManifest(await checkout.read("examples/app.json"), "examples/app.json");
    const expected: Expected = {
      manifest,
      region: "eu-west-1",
      account: emulator.account,
      architecture: "x86_64",
    };
    const before = await remains(cloud);
    const state = () => Deno.readTextFile(`${checkout.folder}/examples/.state/terraform.tfstate`);

    await t.step(
      "what stands in the way is said, with a remedy",
      (t) => failures(t, checkout, emulator),
    );

    await t.step("undeploy.sh has nothing to do before the first deployment", async () => {
      assertMatch(assertDone(await checkout.script("undeploy.sh", ["--yes"])), /^Nothing to do/);
    });

    await t.step(
      "--plan takes over from a killed run, shows everything and does nothing",
      async () => {
        const lock = `${checkout.folder}/examples/.state/lock`;
        await Deno.mkdir(lock, { recursive: true });
        const gone = new Deno.Command("true").spawn();
        await gone.status;
        await Deno.writeTextFile(`${lock}/pid`, String(gone.pid));
        const output = assertDone(
          await checkout.script("deploy.sh", ["--plan", "--arch", "arm64"]),
        );
        assertMatch(output, /An earlier run was interrupted: taking over/);
        assertMatch(output, /aws_lambda_function\.function\["okay"\] will be created/);
        assertMatch(output, /architectures += \[\n +\+ "arm64"/);
        assertMatch(output, /Plan: \d+ to add, 0 to change, 0 to destroy/);
        assertEquals(await remains(cloud), before);
      },
    );

    await t.step("the Terraform files are formatted and valid", async () => {
      const terraform = (...args: string[]) => checkout.terraform(args);
      assertDone(await terraform("fmt", "-check", "-diff"));
      assertDone(await terraform("validate"));
    });

    await t.step(
      "Terraform fills in what a manifest leaves out as cli/manifest/manifest.ts does",
      async () => {
        assertEquals(await terraformDefaults(checkout), manifestDefaults());
      },
    );

    await t.step("an application without a route is refused, before anything is made", async () => {
      const routeless = { name: "quiet", stage: "v0", functions: { only: { module: "only.ts" } } };
      await Deno.writeTextFile(`${checkout.folder}/routeless.json`, JSON.stringify(routeless));
      const { code, output } = await checkout.terraform(
        ["plan", "-input=false", "-var=region=eu-west-1", "-var=manifest=../../routeless.json"],
      );
      assertEquals(code, 1, output);
      assertMatch(output, /The application has no route/);
    });

    await t.step("an unwanted plan changes nothing", async () => {
      const { code, output } = await checkout.script("deploy.sh", [], { typed: "n\n" });
      assertMatch(output, /Deploy this to account 123456789012 in eu-west-1\? \[y\/N\]/);
      assertMatch(output, /Nothing was changed/);
      assertEquals(code, 1);
      assertEquals(await remains(cloud), before);
    });

    await t.step("a killed deployment leaves what nobody noted", async () => {
      let group = 0;
      emulator.done = ({ method, url }) => {
        if (method === "POST" && url.endsWith("/2015-03-31/functions")) signal("KILL", group);
      };
      await checkout.script("deploy.sh", ["--yes"], { watch: (_, its) => group = its });
      emulator.done = () => {};
      assertEquals((await cloud.functions()).size, 1);
      assertNotMatch(await state(), /"type": "aws_lambda_function"/);
    });

    await t.step("the next run adopts it; interrupted, it says how to go on", async () => {
      let signalled = false;
      const { code, output } = await checkout.script("deploy.sh", ["--yes"], {
        watch(output, group) {
          if (signalled || !/aws_lambda_function\S+: Creation complete/.test(output)) return;
          signalled = true;
          signal("INT", group);
        },
      });
      assertEquals(code, 1, output);
      assertMatch(output, /The last run did not end: looking for what it left/);
      assertMatch(output, /Adopting: aws_lambda_function\.function/);
      assertMatch(output, /The deployment was interrupted\nRun the script again/);
    });

    await t.step("a third run completes it, and ends with the URL and lines to try", async () => {
      const output = assertDone(await checkout.script("deploy.sh", ["--yes"]));
      const [gateway] = await cloud.gateways();
      const url = `https://${gateway?.id}.execute-api.eu-west-1.amazonaws.com/v0`;
      assert(output.includes(`Base URL: ${url}\n`), output);
      for (const path of ["okay", "okay/any/path", "forbidden", "crash"]) {
        assert(output.includes(`\ncurl ${url}/${path}\n`), output);
      }
    });

    for (const [rule, check] of Object.entries(CHECKS)) {
      await t.step(rule, () => check(cloud, expected));
    }

    await t.step("another run changes nothing", async () => {
      const [serial, functions] = [JSON.parse(await state()).serial, await versions(cloud)];
      assertMatch(assertDone(await checkout.script("deploy.sh", ["--yes"])), /Nothing to do/);
      assertEquals(JSON.parse(await state()).serial, serial);
      assertEquals(await versions(cloud), functions);
    });

    await t.step("a change of one function changes that function alone", async () => {
      const functions = await versions(cloud);
      await checkout.edit(
        "examples/functions/scheduler.ts",
        (text) => `${text}\nconsole.log("changed");\n`,
      );
      const output = assertDone(await checkout.script("deploy.sh", ["--yes"]));
      assertMatch(output, /Plan: 0 to add, 1 to change, 0 to destroy/);
      const changed = Object.entries(await versions(cloud))
        .filter(([name, version]) => version !== functions[name]).map(([name]) => name);
      assertEquals(changed, ["mate-example-scheduler"]);
    });

    await routeChanges(t, { emulator, checkout, cloud, expected });

    await t.step("another account or region is refused, and nothing is touched", async () => {
      const serial = JSON.parse(await state()).serial;
      emulator.account = "210987654321";
      const account = await checkout.script("deploy.sh", ["--yes"]);
      emulator.account = expected.account;
      assertEquals(account.code, 1);
      assertMatch(
        account.output,
        /The deployment belongs to account 123456789012, the credentials to account 210987654321\n.*AWS_PROFILE/,
      );
      const region = await checkout.script("undeploy.sh", ["--yes", "--region", "us-east-1"]);
      assertEquals(region.code, 1);
      assertMatch(
        region.output,
        /The deployment is in eu-west-1, not in us-east-1\nPass --region eu-west-1/,
      );
      assertEquals(JSON.parse(await state()).serial, serial);
    });

    await t.step("STATE_URL moves the state to a bucket", async () => {
      await cloud.makeBucket("states");
      const env = { STATE_URL: "s3://states/example.tfstate" };
      const output = assertDone(await checkout.script("deploy.sh", ["--yes"], { env }));
      assertMatch(output, /Moving the state to: s3:/);
      assertMatch(output, /Nothing to do/);
    });

    await t.step(
      "undeploy.sh says what it removes, empties the bucket and leaves nothing",
      async () => {
        await cloud.upload("mate-example-uploads-123456789012-eu-west-1", "a/b c", "content");
        await Deno.remove(`${checkout.folder}/examples/.state/bundles`, { recursive: true });
        const { code, output } = await checkout.script("undeploy.sh", [], { typed: "y\n" });
        assertEquals(code, 0, output);
        assertMatch(output, /7 functions: mate-example-crash, mate-example-forbidden/);
        assertMatch(output, /1 bucket: mate-example-uploads-123456789012-eu-west-1/);
        assertMatch(output, /==> Removed from account 123456789012 in eu-west-1\n {2}7 functions/);
        await cloud.removeBucket("states", "example.tfstate");
        assertEquals(await remains(cloud), before);
      },
    );

    await t.step("undeploy.sh has nothing to do the second time", async () => {
      await cloud.makeBucket("states");
      assertMatch(assertDone(await checkout.script("undeploy.sh", ["--yes"])), /Nothing to do/);
    });

    await t.step("the sources are as they were, but for what was edited", async () => {
      assert(!exists(`${checkout.folder}/examples/tf/.terraform`));
      const lock = "examples/tf/.terraform.lock.hcl";
      assertEquals(await checkout.read(lock), await Deno.readTextFile(new URL(lock, root)));
    });
  },
});

Deno.test("the scripts are clean by shellcheck", async () => {
  let result;
  try {
    result = await new Deno.Command("shellcheck", {
      args: ["-x", "examples/deploy.sh", "examples/undeploy.sh"],
      cwd: root,
    }).output();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    console.error("NOT RUN: shellcheck is missing");
    return;
  }
  assertEquals(new TextDecoder().decode(result.stdout), "");
  assertEquals(result.code, 0);
});

function signal(name: string, group: number): void {
  new Deno.Command("kill", { args: [`-${name}`, "--", `-${group}`] }).outputSync();
}

/** What a deployment may leave behind, by name. */
async function remains(cloud: Cloud): Promise<Record<string, unknown[]>> {
  return {
    functions: [...(await cloud.functions()).keys()],
    layers: await cloud.layers(),
    roles: [...(await cloud.roles()).keys()],
    logGroups: (await cloud.logGroups()).map(({ logGroupName }) => logGroupName),
    gateways: (await cloud.gateways()).map(({ name }) => name),
    rules: (await cloud.rules()).map(({ Name }) => Name),
    buckets: (await cloud.buckets()).map(({ name }) => name),
    topics: (await cloud.topics()).map(({ arn }) => arn),
  };
}

/** What tells one version of a function from another. */
async function versions(cloud: Cloud): Promise<Record<string, string>> {
  const functions = [...await cloud.functions()].map(([name, { CodeSha256, LastModified }]) => {
    return [name, `${CodeSha256} ${LastModified}`];
  });
  return Object.fromEntries(functions);
}
