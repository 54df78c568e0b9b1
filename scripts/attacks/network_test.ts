import { assertEquals, assertMatch } from "@std/assert";
import { Command } from "../../cli/testdata/command.ts";
import { makeApp } from "../../cli/testdata/bundle.ts";
import { send } from "../../cli/testdata/platform.ts";
import { childrenOf, listeners } from "../../testdata/listeners.ts";

const LOOPBACK = /^(?:[0-9A-F]{6}7F|0{24}01000000)$/;

Deno.test({
  name: "mate dev listens on the loopback interface only, and every port refuses other hosts",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using app = await makeApp(
      { "one.ts": "export const handler = () => ({ body: 'one' });" },
      { one: { module: "one.ts", triggers: { routes: [{ method: "GET", path: "/one" }] } } },
    );
    await using command = new Command(["--port", "0", "app.json"], app.folder);
    const [, base] = await command.find(/Base URL\s+(\S+)\n[^]*Ctrl-C/);
    assertEquals(await (await fetch(`${base}/one`)).text(), "one"); // Its Runtime API listens now.
    const open = listeners([command.pid, ...childrenOf(command.pid)]);
    assertEquals(open.length >= 4, true, "routes, services for two kinds of callers, Runtime API");
    assertEquals(open.filter(({ address }) => !LOOPBACK.test(address)), []);
    for (const { port } of open.filter(({ address }) => address.length === 8)) {
      for (
        const host of ["evil.example", `evil.example:${port}`, "127.0.0.1.nip.io", "0.0.0.0"]
          .concat("127.0.0.1", `127.0.0.1:${port ^ 1}`)
      ) {
        for (const path of ["/", "/v0/one", "/log", "/2015-03-31/functions/one/invocations"]) {
          const { status, text } = await send(port, { path, headers: [["Host", host]] });
          assertMatch(`${status}`, /^4(?:03|21)$/, `${host} ${port}${path} ${text}`);
        }
      }
    }
  },
});
