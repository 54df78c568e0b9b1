/** Follows docs/tutorial.md block by block in a folder of its own, in both of its forms. */
import { assert, assertEquals } from "@std/assert";
import { startPlatform } from "../cli/dev/platform.ts";
import { mate } from "../cli/testdata/command.ts";
import config from "../.ci/deno.json" with { type: "json" };
import { succeed, temporaryFolder } from "../testdata/programs.ts";
import { ENTRY_POINTS, ROOT } from "./packages/metadata.ts";
import { STAND_INS } from "./std.ts";

const page = await Deno.readTextFile(new URL("docs/tutorial.md", ROOT));
const steps = page.split("\n## ").slice(1).map((text) => text.trim());

/** The packages that the reader adds. */
const PACKAGES = ["zod", "@aws-sdk/client-sqs", "@aws-sdk/client-s3"] as const;

const readJson = async (file: string) => JSON.parse(await Deno.readTextFile(file));
const writeJson = (file: string, value: unknown) =>
  Deno.writeTextFile(file, JSON.stringify(value, null, 2));

/** Makes the packages that the registries do not have yet those of this checkout. */
async function prepareDeno(folder: string): Promise<void> {
  const own = await readJson(`${folder}/deno.json`);
  own.links = [ROOT, new URL("cli/", ROOT)].map(({ pathname }) => pathname);
  Object.assign(
    own.imports,
    Object.fromEntries(PACKAGES.map((name) => [name, config.imports[name]])),
    {
      "@std/assert": new URL(STAND_INS["@std/assert"]!, ROOT).href,
    },
  );
  await writeJson(`${folder}/deno.json`, own);
}

/** Installs what `npm install` would, with the library as one JavaScript file for each entry point. */
async function prepareNode(folder: string): Promise<void> {
  const own = await readJson(`${folder}/package.json`);
  const versions = PACKAGES.map((name) => config.imports[name].slice("npm:".length));
  await writeJson(`${folder}/package.json`, { ...own, dependencies: {}, devDependencies: {} });
  await succeed("npm", ["install", "--no-audit", "--no-fund", ...versions], { cwd: folder });
  const core = `${folder}/node_modules/@mate/core`;
  const exports: Record<string, string> = {};
  const entries = Object.entries(ENTRY_POINTS).filter(([name]) => !name.startsWith("./runtime"));
  for (const [name, path] of entries) {
    const file = `${name === "." ? "mod" : name.slice(2)}.js`;
    exports[name] = `./${file}`;
    const source = new URL(path, ROOT).pathname;
    await succeed(Deno.execPath(), [
      "bundle",
      "--quiet",
      "--no-lock",
      "-o",
      `${core}/${file}`,
      source,
    ]);
  }
  await writeJson(`${core}/package.json`, {
    name: "@mate/core",
    version: "0.1.0",
    type: "module",
    exports,
  });
}

/** Sends the request of a line with `curl`, and returns the answer. */
async function curl(line: string, base: string): Promise<Response> {
  const [, method = "GET"] = /-X (\w+)/.exec(line) ?? [];
  const [, body] = /--json '([^']+)'/.exec(line) ?? [];
  const [, path] = /http:\/\/localhost:8000([^"\s]+)/.exec(line)!;
  const headers = { "content-type": "application/json" };
  return await fetch(`${base}${path}`, { method, ...body && { body, headers } });
}

async function follow(folder: string, form: "deno" | "node"): Promise<number> {
  let answers = 0;
  for (const step of steps) {
    const blocks = [...step.matchAll(/^```(\w+)[^\n]*\n([^]*?)\n```$/gm)].map(([, kind, text]) => ({
      kind,
      text: text!,
    }));
    const isReplaced = step.includes("replace `functions`");
    for (const { kind, text } of blocks) {
      const [, file] = /^\/\/ (\S+)\n/.exec(text) ?? [];
      if (kind === "ts" && !file!.includes(form === "node" ? "_test." : ".test.")) {
        await Deno.writeTextFile(`${folder}/${file}`, text);
      }
      if (kind === "json" && text.startsWith('"')) {
        const manifest = await readJson(`${folder}/app.json`);
        const { functions, ...others } = JSON.parse(`{${text}}`);
        Object.assign(manifest, others);
        manifest.functions = isReplaced ? functions : { ...manifest.functions, ...functions };
        await writeJson(`${folder}/app.json`, manifest);
      }
    }
    const requests = blocks.flatMap(({ kind, text }, index) =>
      kind === "sh" && text.startsWith("curl ") ? [[text, blocks[index + 1]] as const] : []
    );
    if (requests.length === 0) continue;
    await using platform = await startPlatform(`${folder}/app.json`);
    for (const [line, answer] of requests) {
      const response = await curl(line, platform.url);
      if (answer?.kind === "json" && answer.text.startsWith("{")) {
        assertEquals(
          await response.json(),
          JSON.parse(answer.text),
          `${step.split("\n")[0]}: ${line}`,
        );
      } else assertEquals([response.status, await response.text() !== ""], [422, true]);
      answers++;
      await platform.settled();
    }
  }
  return answers;
}

for (const form of ["deno", "node"] as const) {
  Deno.test({
    name: `docs/tutorial.md makes a shop that runs at the end of every step: ${form}`,
    ignore: form === "node" && !Deno.env.has("EVERY_RUNTIME"),
    async fn(t) {
      const parent = temporaryFolder();
      const runtime = form === "node" ? "nodejs24.x" : "deno";
      const made = await mate(["new", "--runtime", runtime, "shop"], { cwd: parent });
      assertEquals(made.code, 0, made.stderr);
      const folder = `${parent}/shop`;
      await (form === "node" ? prepareNode : prepareDeno)(folder);
      assertEquals(await follow(folder, form), 7);
      if (form === "node") return;
      await t.step("its tests pass", async () => {
        for (const file of ["hello.ts", "hello_test.ts"]) await Deno.remove(`${folder}/${file}`);
        const map = `${folder}/import_map.json`;
        await writeJson(map, {
          imports: {
            ...Object.fromEntries(
              Object.entries(config.imports).filter(([, target]) => target.startsWith("npm:")),
            ),
            ...Object.fromEntries(
              Object.entries(ENTRY_POINTS).map(([name, path]) => [
                `@mate/core${name.slice(1)}`,
                new URL(path, ROOT).href,
              ]),
            ),
            "@mate/cli/platform": new URL("cli/dev/mod.ts", ROOT).href,
            "@std/assert": new URL(STAND_INS["@std/assert"]!, ROOT).href,
          },
        });
        const args = ["test", "-A", "--no-check", "--no-lock", `--import-map=${map}`];
        const output = await succeed(Deno.execPath(), args, { cwd: folder });
        assert(output.includes("an order is packed"), output);
      });
    },
  });
}
