import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { makeApp } from "../../cli/testdata/bundle.ts";
import { Command } from "../../cli/testdata/command.ts";
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
