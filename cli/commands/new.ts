import { basename, join, resolve } from "node:path";
import config from "../deno.json" with { type: "json" };
import { type Command, defineCommand, UsageError } from "./command.ts";

/** `mate new` */
export const newApp: Command = defineCommand({
  name: "new",
  arguments: ["FOLDER"],
  summary: "Makes an application with one function and its test",
  details: "The application has the name of the folder, which must be new or empty.",
  options: {},
  async run([folder = ""], _values, { print }) {
    const name = basename(resolve(folder));
    if (!/^[a-z][a-z0-9-]{0,39}$/.test(name)) {
      throw new UsageError(
        `Invalid name "${name}": expected a lower-case letter, then up to 39 lower-case letters, digits or hyphens`,
      );
    }
    await makeEmpty(folder);
    for (const [path, text] of Object.entries(templateOf(name, config.version))) {
      await Deno.writeTextFile(join(folder, path), text, { createNew: true });
      print(`Wrote ${join(folder, path)}`);
    }
    print(`\nNext: cd ${folder} && deno task dev`);
    return true;
  },
});

async function makeEmpty(folder: string): Promise<void> {
  try {
    await Deno.mkdir(folder, { recursive: true });
    for await (const { name } of Deno.readDir(folder)) throw new Error(`it contains "${name}"`);
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`Cannot make the application in "${folder}": ${message}`, { cause: error });
  }
}

/** Makes the files of a new application. */
function templateOf(name: string, version: string): Readonly<Record<string, string>> {
  const json = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`;
  const mate = `deno run -A jsr:@mate/cli@^${version}`;
  return {
    "app.json": json({
      $schema: `https://jsr.io/@mate/cli/${version}/manifest/schema.json`,
      name,
      stage: "v1",
      functions: {
        hello: {
          module: "hello.ts",
          description: "Greets a person by name",
          triggers: { routes: [{ method: "GET", path: "/hello" }] },
        },
      },
    }),
    "deno.json": json({
      tasks: {
        dev: `${mate} dev`,
        test: "deno test",
        deploy: `${mate} deploy`,
        undeploy: `${mate} undeploy`,
      },
      imports: {
        "@mate/core": `jsr:@mate/core@^${version}`,
        "@std/assert": "jsr:@std/assert@^1.0.19",
      },
    }),
    "hello.ts": `import { proxyHandler } from "@mate/core/gateway";
import { logger } from "@mate/core/logger";

/** Answers GET /hello?name=Ada. */
export const handler = proxyHandler((event) => {
  const { name = "World" } = event.queryStringParameters();
  logger.info("A greeting was asked for", { name });
  return { greeting: \`Hello, \${name}!\` };
});
`,
    "hello_test.ts": `import { assertEquals } from "@std/assert";
import { call } from "@mate/core/testing";
import { handler } from "./hello.ts";

Deno.test("GET /hello greets a person by name", async () => {
  for (const [query, name] of [["?name=Ada", "Ada"], ["", "World"]]) {
    const request = new Request(\`https://api.example/hello\${query}\`);
    const response = await call(handler, request);
    assertEquals(await response.json(), { greeting: \`Hello, \${name}!\` });
  }
});
`,
    ".gitignore": `# State of the deployment, data of the local platform, bundles
.mate/
dist/
# Values for this machine alone, such as secrets
.env
`,
    "README.md": `# ${name}

\`\`\`sh
deno task dev        # run it on http://localhost:8000, and reload it when a file changes
deno task test       # run the tests
deno task deploy     # deploy it to AWS: shows the plan, and asks
deno task undeploy   # remove it from AWS
\`\`\`

\`app.json\` names the functions and their triggers. \`hello.ts\` is the function
behind \`GET /v1/hello\`.
`,
  };
}
