import type { NeededData } from "./needed_data.ts";
import type { Runner } from "./runner.ts";

/** What a test is written from. */
export interface TestFacts {
  readonly runner: Runner;
  readonly title: string;
  readonly functionName: string;
  /** The file of the event, and the manifest, both relative to the test. */
  readonly eventFile: string;
  readonly manifest: string;
  /** The names of hidden values in the event: each is an input. */
  readonly inputs: readonly string[];
  readonly secrets: readonly string[];
  readonly data: NeededData;
  /** What is true after the call, such as `assert.equal(result, 5);`. */
  readonly assertions: readonly string[];
}

/** Returns what stands in place of a hidden value. */
export const placeOf = (name: string): string => `[hidden ${name}]`;

/** Returns the variable that gives the test a hidden value. */
export const variableOf = (name: string): string =>
  `TEST_${name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_")}`;

/** Writes a test that calls a function on a platform of its own. */
export function writeTest(facts: TestFacts): string {
  const { runner, title, functionName, eventFile, manifest, inputs, secrets, data } = facts;
  const value = (name: string) =>
    `process.env.${variableOf(name)} ?? ${JSON.stringify(placeOf(name))}`;
  const imports = [
    'import assert from "node:assert/strict";',
    'import { readFile } from "node:fs/promises";',
    ...runner.name === "deno" ? ['import process from "node:process";'] : [],
    'import { fileURLToPath } from "node:url";',
    ...runner.importing === "" ? [] : [runner.importing],
    `import { startPlatform } from ${JSON.stringify(runner.platform)};`,
  ];
  const options = [
    'time: "skip",',
    ...runner.name === "deno" ? ['bundling: "when invoked",'] : [],
    ...secrets.length === 0 ? [] : [
      "secrets: {",
      ...indent(secrets.map((name) => `${JSON.stringify(name)}: ${value(name)},`)),
      "},",
    ],
  ];
  const hidden = inputs.length === 0 ? [] : [
    "// Values that are not in the file. Set the variables to test with real ones.",
    ...inputs.map((name) =>
      `event = event.replaceAll(${JSON.stringify(placeOf(name))}, JSON.stringify(${
        value(name)
      }).slice(1, -1));`
    ),
  ];
  const body = [
    `${inputs.length === 0 ? "const" : "let"} event = await readFile(new URL(${
      JSON.stringify(`./${eventFile}`)
    }, import.meta.url), "utf8");`,
    ...hidden,
    `const manifest = fileURLToPath(new URL(${JSON.stringify(manifest)}, import.meta.url));`,
    "const platform = await startPlatform(manifest, {",
    ...indent(options),
    "});",
    "try {",
    ...indent([
      ...dataLines(data),
      `const response = await fetch(\`\${platform.controlUrl}/2015-03-31/functions/${functionName}/invocations\`, {`,
      '  method: "POST",',
      "  body: event,",
      "});",
      'const failure = response.headers.get("x-amz-function-error");',
      "const result = await response.json();",
      ...facts.assertions.flatMap((one) => one.split("\n")),
    ]),
    "} finally {",
    "  await platform.stop();",
    "}",
  ];
  return [
    ...imports,
    "",
    `${runner.test}${JSON.stringify(title)}, async () => {`,
    ...indent(body),
    `}${runner.limit});`,
    "",
  ].join("\n");
}

const indent = (lines: readonly string[]) => lines.map((line) => line === "" ? line : `  ${line}`);

/** The lines that store what the function reads. */
function dataLines({ objects, items }: NeededData): readonly string[] {
  const lines = [
    ...objects.flatMap(({ path, content, isBase64 }) => {
      const text = JSON.stringify(content);
      const url = path.split("/").map(encodeURIComponent).join("/");
      return [
        `await fetch(\`\${platform.controlUrl}/buckets/${url}\`, {`,
        '  method: "PUT",',
        `  body: ${
          isBase64 ? `Uint8Array.from(atob(${text}), (one) => one.charCodeAt(0))` : text
        },`,
        "});",
      ];
    }),
    ...items.flatMap(({ table, item }) => [
      "await fetch(platform.servicesUrl, {",
      '  method: "POST",',
      '  headers: { "x-amz-target": "DynamoDB_20120810.PutItem" },',
      `  body: JSON.stringify({ TableName: ${JSON.stringify(table)}, Item: ${
        JSON.stringify(item)
      } }),`,
      "});",
    ]),
  ];
  return lines.length === 0 ? [] : ["// What the function reads.", ...lines];
}
