import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { findNode } from "../programs/find_node.ts";
import { startProgram, succeed } from "../../testdata/programs.ts";
import { RunningProgram } from "../../testdata/running_program.ts";
import { until } from "../../testdata/waiting.ts";
import { makeApp } from "../testdata/bundle.ts";
import { bundleWebFunction } from "./web_function.ts";

const HANDLER = `
import { proxyHandler } from "jsr:@mate/core/gateway";
export const orders = proxyHandler((event, context) => [event.format, event.requestId(), context.functionName]);`;

const routes = [{ method: "GET", path: "/orders" }];

const FUNCTIONS = {
  web: {
    module: "orders.ts",
    handler: "orders",
    runtime: "nodejs24.x",
    triggers: { routes },
    environment: { GREETING: "It's" },
    uses: { tables: { notes: "read" } },
  },
  deno: { module: "orders.ts", triggers: { routes: [{ method: "GET", path: "/deno" }] } },
  old: {
    module: "orders.ts",
    runtime: "nodejs22.x",
    triggers: { routes: [{ method: "GET", path: "/old" }] },
  },
  lonely: { module: "orders.ts", runtime: "nodejs24.x" },
};

const SETTINGS = { tables: { notes: { key: { id: "string" } } } };

Deno.test("bundleWebFunction() refuses a function that cannot be one, by name", async () => {
  await using app = await makeApp({ "orders.ts": HANDLER }, FUNCTIONS, SETTINGS);
  const options = { out: `${app.folder}/out`, warn() {} };
  const wrong: Record<string, string> = {
    wep: 'Unknown function "wep": did you mean "web"?',
    deno: '"deno" as a Web Function: its runtime is "deno"',
    old: '"old" as a Web Function: its runtime is "nodejs22.x"',
    lonely: '"lonely" as a Web Function: it has no route',
  };
  for (const [name, message] of Object.entries(wrong)) {
    await assertRejects(() => bundleWebFunction(app.manifest, name, options), Error, message);
  }
});

Deno.test("bundleWebFunction() makes a zip that listens on the Node.js of AWS Lambda", async () => {
  const core = new URL("../../", import.meta.url).pathname;
  const links = { imports: { "@mate/core": "jsr:@mate/core@^0.1.0" }, links: [core] };
  await using app = await makeApp(
    { "orders.ts": HANDLER, "deno.json": JSON.stringify(links) },
    FUNCTIONS,
    SETTINGS,
  );
  const out = `${app.folder}/out`;
  const warnings: string[] = [];
  const warn = (text: string) => warnings.push(text);
  const { archive, commands } = await bundleWebFunction(app.manifest, "web", { out, warn });
  assertEquals(archive.path, `${out}/web-web.zip`);
  assertStringIncludes(commands, `"GREETING":"It'\\''s","MATE_FUNCTION_NAME":"test-web"`);
  assertStringIncludes(commands, "TABLE_NOTES");
  await succeed("unzip", ["-q", archive.path, "-d", `${out}/task`]);

  const { program } = await findNode("nodejs24.x");
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  await using server = new RunningProgram(
    startProgram(program, {
      args: ["index.js"],
      cwd: `${out}/task`,
      env: { AWS_LAMBDA_HTTP_ENDPOINT: `127.0.0.1:${port}`, MATE_FUNCTION_NAME: "test-web" },
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }),
  );
  const ask = () =>
    fetch(`http://127.0.0.1:${port}/orders`, { headers: { "lambda-web-request-id": "id-1" } });
  let response: Response | undefined;
  await until("the server", async () => {
    response = await ask().catch(() => undefined); // it starts
    return response !== undefined;
  }, () => server.output);
  assertEquals(await response!.json(), ["web", "id-1", "test-web"]);
  server.kill("SIGTERM");
  assertEquals(await server.status(), 0);
});
