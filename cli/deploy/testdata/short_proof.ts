/**
 * Deploys a small application to an emulated cloud, changes it, also the runtime of a function, and removes it. The other
 * proofs try everything that an application can have.
 *
 * @module
 */
import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import { GetParameterCommand, PutParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { hasProvider, mirrorProviderAs } from "./cloud_tools.ts";
import { hashOf, runZip } from "./deployed_zip.ts";
import { assertDone, prove, SECRET } from "./prove.ts";

const APP = {
  name: "small",
  stage: "v1",
  api: "api.ts",
  functions: {
    hello: {
      module: "hello.ts",
      secrets: ["KEY"],
      triggers: { routes: [{ method: "GET", path: "/hello" }] },
    },
    node: { module: "node.ts", runtime: "nodejs22.x" },
  },
};

/** Answers with the runtime. */
const WHICH = 'export const handler = async () => "Deno" in globalThis ? "Deno" : process.version;';

const describe = (key: string) =>
  `export const api = { ${JSON.stringify(key)}: { responses: { 204: "Done" } } };`;

/** The files in a folder and below, except Terraform's provider. */
async function* filesIn(folder: string): AsyncGenerator<{ readonly path: string }> {
  for await (const { name, isDirectory, isFile } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isFile) yield { path };
    if (isDirectory && name !== "providers") yield* filesIn(path);
  }
}

await prove(
  "an application with one function is deployed, changed and removed",
  () => false,
  async ({ cloud, folder, makeShop, step }) => {
    const app = await makeShop("small");
    await Deno.remove(`${app.folder}/infra`, { recursive: true });
    await app.write("app.json", APP);
    await app.write("hello.ts", 'export const handler = () => "hello";');
    await app.write("node.ts", WHICH);
    const before = await cloud.names();
    let hashes: Record<string, string | undefined> = {};

    const deployment = `${app.folder}/.mate/deploy/app`;
    const constraint = async () =>
      JSON.parse(await Deno.readTextFile(`${deployment}/main.tf.json`))
        .terraform.required_providers.aws.version;
    const hasProvider6 = hasProvider("6.25.0");
    if (!hasProvider6) {
      console.error(
        `NOT RUN: the deployment of nodejs24.x, because there is no provider 6.25.0`,
      );
    }

    const ssm = new SSMClient();
    const Name = "/small/v1/KEY";

    await step("a secret without a value is refused before anything is bundled", async () => {
      const { isDone, output } = await app.deploy();
      assertEquals(isDone, false);
      const problem =
        'the secret KEY of "hello" has no value in eu-west-1: run "mate secret set KEY"';
      assertEquals(output.split("\n").slice(1), [`Cannot deploy: ${problem}`]);
      assertEquals(await cloud.names(), before);
      await ssm.send(new PutParameterCommand({ Name, Value: SECRET, Type: "SecureString" }));
    });

    await step("a description of a route that the manifest lacks is refused", async () => {
      await app.write("api.ts", describe("GET /bye"));
      const { isDone, output } = await app.deploy();
      assertEquals(isDone, false);
      assertMatch(
        output,
        /Cannot describe the API of "api\.ts": no route of the manifest serves "GET/,
      );
      assertEquals(await cloud.names(), before);
    });

    await step("a deployment makes what the manifest has", async () => {
      await app.write("api.ts", describe("GET /hello"));
      assertMatch(assertDone(await app.deploy()), /curl 'https?:\/\/\S+\/hello'/);
      hashes = await cloud.codeHashes();
      assertEquals(Object.keys(hashes).sort(), ["small-hello", "small-node"]);
      const { small } = await cloud.gateways();
      assertEquals(small?.routes.length, 1);
    });

    await step("changed code reaches the function", async () => {
      await app.write("hello.ts", 'export const handler = () => "changed";');
      assertDone(await app.deploy());
      assertNotEquals(await cloud.codeHashes(), hashes);
    });

    await step(
      "a function changes its runtime and back, and each zip of the account runs",
      async () => {
        const bundles = `${deployment}/bundles`;
        const onDeno = ["deno", "provided.al2023", ["small-deno-x86_64"], /^Deno$/] as const;
        const onNode = ["nodejs22.x", "nodejs22.x", [], /^v22\./] as const;
        const onNode24 = ["nodejs24.x", "nodejs24.x", [], /^v24\./] as const;
        for (
          const [provider, [runtime, wanted, layers, answer]] of [
            ["5.100.0", onDeno] as const,
            ["5.100.0", onNode] as const,
            ["5.100.0", onDeno] as const,
            ...hasProvider6 ? [["6.25.0", onNode24] as const, ["6.25.0", onNode] as const] : [],
          ]
        ) {
          await app.write("node.ts", WHICH);
          const functions = { ...APP.functions, node: { ...APP.functions.node, runtime } };
          await app.write("app.json", { ...APP, functions });
          assertDone(await app.deploy());
          const deployed: Record<string, unknown> = (await cloud.functions())["small-node"]!;
          assertEquals([deployed.Runtime, deployed.layers], [wanted, layers]);
          assertEquals(await constraint(), provider);
          const hash = (await cloud.codeHashes())["small-node"];
          assertEquals(hash, await hashOf(`${bundles}/node.zip`));
          assertMatch(await runZip(`${app.folder}/app.json`, bundles, "node"), answer);
        }
      },
    );

    await step("a state that version 6 of the provider wrote keeps version 6", async () => {
      if (hasProvider6) return; // It has kept it above.
      const file = `${deployment}/terraform.tfstate`;
      const state = await Deno.readTextFile(file);
      const other = JSON.parse(state);
      other.outputs.provider.value = "6.25.0";
      await Deno.writeTextFile(file, JSON.stringify(other));
      const { isDone, output } = await app.deploy();
      assertEquals(isDone, false);
      assertMatch(output, /terraform init failed.*6\.25\.0/s);
      assertEquals(await constraint(), "6.25.0");
      await Deno.writeTextFile(file, state);
    });

    await step("a version that the manifest names gets a lock file, and stays", async () => {
      if (hasProvider6 || !await mirrorProviderAs(folder, "5.101.3")) return;
      const lock = `${app.folder}/app.lock.hcl`;
      const only = (required: string) =>
        `terraform {\n required_providers {\n aws = { source = "hashicorp/aws", version = "${required}" }\n }\n}\n`;
      await app.write("infra/versions.tf", only("~> 5.101"));
      assertMatch(
        (await app.deploy()).output,
        /does not match configured version constraints? .*\(set "provider" in the manifest to a version that the folder infra takes/,
      );
      await app.write("app.json", { ...APP, provider: "5.101.3" });
      assertMatch(
        assertDone(await app.deploy()),
        /checksums .* 5\.101\.3 to ".*app\.lock\.hcl": keep/,
      );
      const text = await Deno.readTextFile(lock);
      assertMatch(
        text,
        /"registry\.terraform\.io\/hashicorp\/aws" \{\n {2}version {5}= "5\.101\.3"/,
      );
      assertEquals(/checksums/.test(assertDone(await app.deploy())), false);
      await app.write("app.json", APP);
      await Deno.remove(`${app.folder}/infra`, { recursive: true });
      assertDone(await app.deploy());
      assertEquals(await constraint(), "5.101.3");
      await app.write("app.json", { ...APP, provider: "5.100.0" });
      assertMatch(
        (await app.deploy()).output,
        /version 5\.101\.3 has written the state of "small", and an older one cannot read it; set "provider" to "5\.101\.3"/,
      );
      await Deno.writeTextFile(lock, text.replace(/h1:[^"]*/, "h1:AAAA"));
      await app.write("app.json", { ...APP, provider: "5.101.3" });
      assertMatch(
        (await app.deploy()).output,
        /doesn't match any of the checksums.*lock file beside/,
      );
      await Deno.writeTextFile(lock, text);
      assertDone(await app.deploy());
    });

    await step("nothing in the folder of the deployment has the value of a secret", async () => {
      let count = 0;
      for await (const { path } of filesIn(`${app.folder}/.mate/deploy`)) {
        const bytes = await Deno.readFile(path);
        assertEquals(new TextDecoder("latin1").decode(bytes).includes(SECRET), false, path);
        count++;
      }
      assert(count > 10);
    });

    await step("undeploy() leaves only the secret, and deletes it if told so", async () => {
      assertMatch(assertDone(await app.undeploy()), /except buckets that hold .* secrets:/);
      assertEquals(await cloud.names(), before);
      const command = new GetParameterCommand({ Name, WithDecryption: true });
      assertEquals((await ssm.send(command)).Parameter?.Value, SECRET);
      const output = assertDone(await app.undeploy({ deletesData: true }));
      assertMatch(output, /deletes secret \/small\/v1\/KEY\n/);
      await assertRejects(() => ssm.send(command), Error);
      assertMatch(assertDone(await app.undeploy({ deletesData: true })), /^Nothing to do/m);
    });
  },
);
