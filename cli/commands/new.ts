import { basename, join, resolve } from "node:path";
import config from "../deno.json" with { type: "json" };
import { UsageError } from "../manifest/nearest.ts";
import { visibleLine } from "../rules/visible_text.ts";
import manifestSchema from "../manifest/schema.json" with { type: "json" };
import { type Command, defineCommand, IS_FROM_NPM, MANIFEST } from "./command.ts";

const RUNTIMES = manifestSchema.properties.runtime.enum;

/** `mate new` */
export const newApp: Command = defineCommand({
  name: "new",
  arguments: ["FOLDER"],
  summary: "Makes an application with one function and its test",
  details:
    `The application has the name of the folder, which must be new or empty. Its functions run on Deno, or on Node.js as AWS
Lambda manages it. With Node.js, or if npm has installed the tool, it is a project for Node.js and npm.`,
  options: {
    runtime: {
      value: "NAME",
      description: `${
        RUNTIMES.join(", ")
      } (else a terminal asks; "nodejs24.x" with npm, or "deno")`,
    },
  },
  async run([folder = ""], { runtime }, { print }) {
    const name = basename(resolve(folder));
    if (!/^[a-z][a-z0-9-]{0,39}$/.test(name)) {
      throw new UsageError(
        `Invalid name "${name}": expected a lower-case letter, then up to 39 lower-case letters, digits or hyphens`,
      );
    }
    const chosen = runtime ?? askRuntime(IS_FROM_NPM ? "nodejs24.x" : "deno", print);
    if (!RUNTIMES.includes(chosen)) {
      throw new UsageError(`Unknown runtime "${chosen}": expected one of ${RUNTIMES.join(", ")}`);
    }
    await makeEmpty(folder);
    const isNode = chosen !== "deno" || IS_FROM_NPM;
    const template = isNode ? nodeTemplate(name, chosen) : denoTemplate(name);
    for (const [path, text] of Object.entries(template)) {
      await Deno.writeTextFile(join(folder, path), text, { createNew: true });
      print(`Wrote ${join(folder, path)}`);
    }
    print(`\nNext: cd ${folder} && ${isNode ? "npm install && npm run dev" : "deno task dev"}`);
  },
});

/** How often the tool asks for the runtime. */
const QUESTIONS = 3;

/** Asks for the runtime on a terminal. Elsewhere, it is the one that the question would propose. */
function askRuntime(proposed: string, print: (line: string) => void): string {
  if (!Deno.stdin.isTerminal() || !Deno.stdout.isTerminal()) return proposed;
  for (let left = QUESTIONS;; left--) {
    const answer = prompt(`Which runtime (${RUNTIMES.join(", ")})? [${proposed}]`);
    if (answer === null) throw new Error("Interrupted: nothing was made");
    const chosen = answer.trim() || proposed;
    if (left === 1 || RUNTIMES.includes(chosen)) return chosen;
    print(`There is no runtime "${visibleLine(chosen)}"`);
  }
}

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
  const mate = `deno run --no-config -A jsr:@mate/cli@^${version}`;
  const $schema = `https://jsr.io/@mate/cli/${version}/manifest/schema.json`;
  return {
    ...sharedFiles({ $schema, name, runtime: "deno" }, [
      "deno task dev",
      "deno task test",
      "deno task",
    ]),
    "deno.json": json({
      tasks: {
        dev: `${mate} dev`,
        test: "deno test -A", // startPlatform() needs all permissions
        deploy: `${mate} deploy`,
        undeploy: `${mate} undeploy`,
      },
      imports: {
        "@mate/cli/platform": `jsr:@mate/cli@^${version}/platform`,
        "@mate/core": `jsr:@mate/core@^${version}`,
        "@std/assert": "jsr:@std/assert@^1.0.19",
      },
    }),
    "hello_test.ts": `import { assertEquals } from "@std/assert";
import { call } from "@mate/core/testing";
import { handler } from "./hello.ts";

Deno.test("GET /hello greets a person by name", async () => {
${testWith((actual, expected) => `assertEquals(${actual}, ${expected})`)}});
`,
  };
}

/** Makes the files of a new application for Node.js. */
function nodeTemplate(name: string, runtime: string): Files {
  const $schema = "./node_modules/@mate/cli/tool/manifest/schema.json";
  const shared = sharedFiles({ $schema, name, runtime }, ["npm run dev", "npm test", "npm run"]);
  return {
    ...shared,
    ".gitignore": `node_modules/\n${shared[".gitignore"]}`,
    "package.json": json({
      name,
      private: true,
      type: "module",
      scripts: {
        dev: "mate dev",
        test: "vitest run",
        check: "tsc",
        deploy: "mate deploy",
        undeploy: "mate undeploy",
      },
      dependencies: { "@mate/core": `^${version}` },
      devDependencies: {
        "@mate/cli": `^${version}`,
        "@types/node": `^${/\d+/.exec(runtime)?.[0] ?? 24}.0.0`,
        typescript: "^7.0.2",
        vitest: "^5.1.2",
      },
    }),
    "tsconfig.json": json({
      compilerOptions: {
        target: "es2024",
        lib: ["esnext", "dom"],
        module: "nodenext",
        strict: true,
        noEmit: true,
      },
    }),
    "hello.test.ts": `import { call } from "@mate/core/testing";
import { expect, test } from "vitest";
import { handler } from "./hello.js";

test("GET /hello greets a person by name", async () => {
${testWith((actual, expected) => `expect(${actual}).toEqual(${expected})`)}});
`,
  };
}

/** Makes the body of the test. */
const testWith = (assertEqual: (actual: string, expected: string) => string) =>
  `  for (const [query, name] of [["?name=Ada", "Ada"], ["", "World"]]) {
    const request = new Request(\`https://api.example/hello\${query}\`);
    const response = await call(handler, request);
    ${assertEqual("await response.json()", "{ greeting: `Hello, ${name}!` }")};
  }
`;

/** The files that differ only in the commands. */
function sharedFiles(
  head: { readonly $schema: string; readonly name: string; readonly runtime: string },
  [dev, test, run]: readonly [dev: string, test: string, run: string],
): Files {
  const commands = [
    [dev, "run it on http://localhost:8000, and reload it when a file changes"],
    [test, "run the tests"],
    [`${run} deploy`, "deploy it to AWS: shows the plan, and asks"],
    [`${run} undeploy`, "remove it from AWS"],
  ] as const;
  const width = Math.max(...commands.map(([command]) => command.length)) + 2;
  return {
    "app.json": json({
      ...head,
      stage: "v1",
      functions: {
        hello: {
          module: "hello.ts",
          description: "Greets a person by name",
          triggers: { routes: [{ method: "GET", path: "/hello" }] },
        },
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
    ".gitignore": `# State of the deployment, data of the local platform, bundles
.mate/
dist/
# Values for this machine alone, such as secrets
.env
`,
    "README.md": `# ${head.name}

\`\`\`sh
${commands.map(([command, what]) => `${command.padEnd(width)} # ${what}`).join("\n")}
\`\`\`

\`app.json\` names the functions and their triggers. \`hello.ts\` is the function
behind \`GET /v1/hello\`.
`,
  };
}
