import { basename, join, resolve } from "node:path";
import config from "../deno.json" with { type: "json" };
import { UsageError } from "../manifest/usage_error.ts";
import { type Command, defineCommand, MANIFEST } from "./command.ts";

/** `mate new` */
export const newApp: Command = defineCommand({
  name: "new",
  arguments: ["FOLDER"],
  summary: "Makes an application with one function and its test",
  details: "The application has the name of the folder, which must be new or empty.",
  options: {
    node: {
      type: "boolean",
      description: "Make a project for Node.js and npm, as always if npm has installed the tool",
    },
  },
  async run([folder = ""], { node }, { print }) {
    const name = basename(resolve(folder));
    if (!/^[a-z][a-z0-9-]{0,39}$/.test(name)) {
      throw new UsageError(
        `Invalid name "${name}": expected a lower-case letter, then up to 39 lower-case letters, digits or hyphens`,
      );
    }
    await makeEmpty(folder);
    const isNode = node || import.meta.url.includes("/node_modules/");
    const template = isNode ? nodeTemplate(name) : denoTemplate(name);
    for (const [path, text] of Object.entries(template)) {
      await Deno.writeTextFile(join(folder, path), text, { createNew: true });
      print(`Wrote ${join(folder, path)}`);
    }
    print(`\nNext: cd ${folder} && ${isNode ? "npm install && npm run dev" : "deno task dev"}`);
    return true;
  },
});

async function makeEmpty(folder: string): Promise<void> {
  try {
    await Deno.mkdir(folder, { recursive: true });
    const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
    if (names.includes(MANIFEST)) {
      throw new Error('it has an application already: name a new folder, or run "mate dev" there');
    }
    const remedy = 'name a new folder, or write "app.json" there ("mate schema" prints its keys)';
    if (names.length > 0) throw new Error(`it contains "${names[0]}": ${remedy}`);
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`Cannot make the application in "${folder}": ${message}`, { cause: error });
  }
}

const { version } = config;
const json = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`;

type Files = Readonly<Record<string, string>>;

/** Makes the files of a new application for Deno. */
function denoTemplate(name: string): Files {
  const mate = `deno run -A jsr:@mate/cli@^${version}`;
  const schema = `https://jsr.io/@mate/cli/${version}/manifest/schema.json`;
  return {
    ...sharedFiles(name, schema, "ts", ["deno task dev", "deno task test", "deno task"]),
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
    "hello_test.ts": `import { assertEquals } from "@std/assert";
import { call } from "@mate/core/testing";
import { handler } from "./hello.ts";

Deno.test("GET /hello greets a person by name", async () => {
${TEST}  }
});
`,
  };
}

/** Makes the files of a new application for Node.js. */
function nodeTemplate(name: string): Files {
  const schema = "./node_modules/@mate/cli/tool/manifest/schema.json";
  return {
    ...sharedFiles(name, schema, "js", ["npm run dev", "npm test", "npm run"]),
    "package.json": json({
      name,
      private: true,
      type: "module",
      scripts: {
        dev: "mate dev",
        test: "node --test",
        deploy: "mate deploy",
        undeploy: "mate undeploy",
      },
      dependencies: { "@mate/core": `^${version}` },
      devDependencies: { "@mate/cli": `^${version}` },
    }),
    "hello.test.js": `import { deepEqual as assertEquals } from "node:assert/strict";
import { test } from "node:test";
import { call } from "@mate/core/testing";
import { handler } from "./hello.js";

test("GET /hello greets a person by name", async () => {
${TEST}  }
});
`,
  };
}

/** The body of the test. */
const TEST = `  for (const [query, name] of [["?name=Ada", "Ada"], ["", "World"]]) {
    const request = new Request(\`https://api.example/hello\${query}\`);
    const response = await call(handler, request);
    assertEquals(await response.json(), { greeting: \`Hello, \${name}!\` });
`;

/** The files that differ only in the language of the module and in the commands. */
function sharedFiles(
  name: string,
  schema: string,
  language: "js" | "ts",
  [dev, test, run]: readonly [dev: string, test: string, run: string],
): Files {
  const module = `hello.${language}`;
  const commands = [
    [dev, "run it on http://localhost:8000, and reload it when a file changes"],
    [test, "run the tests"],
    [`${run} deploy`, "deploy it to AWS: shows the plan, and asks"],
    [`${run} undeploy`, "remove it from AWS"],
  ] as const;
  const width = Math.max(...commands.map(([command]) => command.length)) + 2;
  return {
    "app.json": json({
      $schema: schema,
      name,
      stage: "v1",
      functions: {
        hello: {
          module,
          description: "Greets a person by name",
          triggers: { routes: [{ method: "GET", path: "/hello" }] },
        },
      },
    }),
    [module]: `import { proxyHandler } from "@mate/core/gateway";
import { logger } from "@mate/core/logger";

/** Answers GET /hello?name=Ada. */
export const handler = proxyHandler((event) => {
  const { name = "World" } = event.queryStringParameters();
  logger.info("A greeting was asked for", { name });
  return { greeting: \`Hello, \${name}!\` };
});
`,
    ".gitignore": `${language === "js" ? "node_modules/\n" : ""}\
# State of the deployment, data of the local platform, bundles
.mate/
dist/
# Values for this machine alone, such as secrets
.env
`,
    "README.md": `# ${name}

\`\`\`sh
${commands.map(([command, what]) => `${command.padEnd(width)} # ${what}`).join("\n")}
\`\`\`

\`app.json\` names the functions and their triggers. \`${module}\` is the function
behind \`GET /v1/hello\`.
`,
  };
}
