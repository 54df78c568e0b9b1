import { assertEquals, assertRejects } from "@std/assert";
import { lambdaEnvironment } from "../lambda/isolation/environment.ts";
import { makeTmp } from "../lambda/isolation/isolation.ts";
import { bundles, makeApp, serve } from "../testdata/bundle.ts";
import { hasNamespace, isolation } from "../testdata/sandbox.ts";
import { temporaryFolder } from "../../testdata/programs.ts";
import { writeFiles } from "../archives/archive.ts";
import { Kept } from "../programs/kept.ts";
import { ImportError, startFunction } from "../starts/warm_start.ts";
import { bundleFunctions } from "./functions.ts";
import { layerFiles } from "./modules/own_modules.ts";

const MODULE = `const key = Deno.env.get("KEY");
  if (key !== "sesame" || Deno.env.get("_MATE_SECRETS")) throw new Error("KEY is " + key);
  export const handler = () => 1;`;

Deno.test({
  name: "the runtime reads the secrets before the module of the function, and only on AWS Lambda",
  ignore: !hasNamespace,
  async fn() {
    let requests = 0;
    let isKnown = true;
    await using server = serve(async (request) => {
      requests++;
      const { Names } = await request.json();
      assertEquals(Names, ["/test/v0/KEY"]);
      return Response.json(
        isKnown
          ? { Parameters: [{ Name: "/test/v0/KEY", Value: "sesame" }], InvalidParameters: [] }
          : { Parameters: [], InvalidParameters: Names },
      );
    });
    const { host } = new URL(server.url);
    const own = { secrets: ["KEY"], permissions: { net: [host] } };
    await using app = await makeApp({ "one.ts": MODULE }, { one: { module: "one.ts", ...own } });
    const application = await app.read();
    const { functions } = await bundleFunctions(app.manifest, application, { bundles });
    const folder = temporaryFolder();
    await writeFiles(`${folder}/task`, functions.get("one")!);
    await writeFiles(`${folder}/layer`, [
      ...await layerFiles("x86_64", { kept: new Kept(console.warn) }),
      { path: "bin/deno", data: new Uint8Array(), isExecutable: true },
    ]);
    const start = async (passed: Record<string, string>) => {
      const places = { task: "/var/task", logStream: "x" };
      const { _MATE_ENVIRONMENT, ...local } = lambdaEnvironment(
        application.functions.one!,
        places,
      );
      const environment = { ...local, ...passed, AWS_ENDPOINT_URL_SSM: server.url };
      const folders = {
        task: `${folder}/task`,
        layer: `${folder}/layer`,
        deno: Deno.execPath(),
        tmp: await makeTmp(folder),
      };
      await startFunction({ folders, environment, isolation: isolation! });
    };
    const keys = { AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY: "x" };
    await start(keys);
    assertEquals(requests, 1);
    isKnown = false;
    const starting = start(keys);
    await assertRejects(() => starting, ImportError, "/test/v0/KEY has no value");
    assertEquals(requests, 2);
    const here = start({ ...keys, _MATE_ENVIRONMENT: "{}" });
    await assertRejects(() => here, ImportError, "KEY is undefined");
    await start({ ...keys, _MATE_ENVIRONMENT: '{"KEY":"sesame"}' });
    assertEquals(requests, 2, "a function on this machine asks nobody");
  },
});
