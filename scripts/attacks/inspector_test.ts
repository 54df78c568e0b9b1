import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { makeApp } from "../../cli/testdata/bundle.ts";
import { Command } from "../../cli/testdata/command.ts";
import { Debugger } from "../../cli/testdata/debugger.ts";
import { Passer } from "../../cli/testdata/pass_on.ts";
import { hasNamespace, RUNTIMES } from "../../cli/testdata/sandbox.ts";

const EVIL = `export const handler = async ({ urls }) => await Promise.all(
  urls.map((url) => fetch(url).then((response) => response.text(), (error) => error.message)),
);`;

for (const runtime of RUNTIMES) {
  Deno.test({
    name:
      `${runtime}: no function learns where the inspector is, also not through a proxy of the developer`,
    ignore: !hasNamespace,
    async fn() {
      const permissions = runtime === "deno" ? { permissions: { net: ["*"] } } : {};
      const evil = { module: "evil.js", timeout: 60, memory: 512, runtime, ...permissions };
      await using app = await makeApp({ "evil.js": EVIL }, { evil });
      const args = ["--inspect", "evil", "--port", "0", "app.json"];
      await using command = new Command(args, app.folder);
      const [, address] = await command.find(
        /attach a debugger on port \d+, or to (\S+),[^]*Ctrl-C/,
      );
      const [, page] = await command.find(/Start page\s+(\S+)/);
      const { host, pathname } = new URL(address!);
      const list = `http://${host}/json/list`;
      await using editor = await Passer.start("alone", "http://127.0.0.1:1");
      await using near = await Passer.start("alone", `http://${host}`);
      await using far = await Passer.start("alone", near.url);
      await using parted = await Passer.start("with a worker", `http://${host}`);
      for (const one of [editor, near]) {
        assertStringIncludes(await one.request(list), pathname, "a program of the developer");
      }
      const urls = [list, ...[near, far, parted].map(({ url }) => `${url}/json/list`)];
      const response = await fetch(`${page}2015-03-31/functions/evil/invocations`, {
        method: "POST",
        body: JSON.stringify({ urls }),
      });
      const texts = await response.json();
      assertEquals(texts.length, urls.length, "the function has run");
      for (const text of texts) {
        assertMatch(text, /^"Attach to the address that the platform prints"$/);
      }
      await command.find(/WARN A program may pass on requests of functions/);
      assertStringIncludes(command.output.split("may pass on requests")[1]!, address!);
      assertStringIncludes(await editor.request(list), pathname, "a program of the developer");
    },
  });
}

/** Reads the texts in the source map of this function's own bundle. */
const READER = `import "evil";
export const handler = async () => {
  const code = process.getBuiltinModule("node:fs").readFileSync("/var/task/index.mjs", "utf8");
  const map = JSON.parse(atob(code.split("sourceMappingURL=data:application/json;base64,").at(-1)));
  return map.sources.map((source, index) => [source, map.sourcesContent[index]]);
};`;

for (const runtime of RUNTIMES) {
  Deno.test({
    name:
      `${runtime}: no source map of a package carries a file of the developer to an inspected function`,
    ignore: !hasNamespace,
    async fn() {
      await using home = await makeApp({
        ".aws/credentials": "SECRET of the home",
        "app/.env": "KEY=SECRET",
        "app/other.ts": "export const SECRET = 1; // no module of the function",
        "app/one.js": READER,
        "app/package.json": '{ "dependencies": { "evil": "1.0.0" } }',
        "app/node_modules/evil/package.json": '{ "name": "evil", "main": "index.mjs" }',
        "app/node_modules/evil/key.txt": "SECRET",
        "app/app.json": JSON.stringify({
          name: "app",
          stage: "v0",
          functions: { one: { module: "one.js", runtime, timeout: 60, memory: 512 } },
        }),
      }, {});
      const app = `${home.folder}/app`;
      const sources = [
        "../../../.aws/credentials",
        `${home.folder}/.aws/credentials`,
        `file://${home.folder}/.aws/credentials`,
        "../../.env",
        "../../other.ts",
        "key.txt",
        "/etc/passwd",
        "/etc/shadow",
        "/proc/self/environ",
      ];
      // Each line of the package comes from another one of these files.
      const mappings = sources.map((_, index) => index === 0 ? "AAAA" : "ACAA").join(";");
      const map = btoa(JSON.stringify({ version: 3, sources, names: [], mappings }));
      const lines = sources.map((_, index) => `console.log(${index});`).join("\n");
      await Deno.writeTextFile(
        `${app}/node_modules/evil/index.mjs`,
        `${lines}\n//# sourceMappingURL=data:application/json;base64,${map}\n`,
      );
      await using command = new Command(["--inspect", "one", "--port", "0", "app.json"], app);
      const [, page] = await command.find(/Start page\s+(\S+)\n[^]*Ctrl-C/);
      const [, address] = await command.find(/attach a debugger on port \d+, or to (\S+),/);
      const invocation = fetch(`${page}2015-03-31/functions/one/invocations`, { method: "POST" });
      await using debugger_ = await Debugger.attach(address!);
      await debugger_.send("Runtime.runIfWaitingForDebugger");
      const texts: [source: string, text: string | null][] = await (await invocation).json();
      const told = texts.filter(([, text]) => text !== null);
      assertEquals(told, [[`file://${await Deno.realPath(app)}/one.js`, READER]]);
      assertEquals(texts.length > sources.length, true, `the map has the sources ${texts}`);
    },
  });
}
