import { assertEquals } from "@std/assert";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { closeServer } from "../http.ts";
import { hasNamespace } from "../../testdata/sandbox.ts";
import { Passer } from "../../testdata/pass_on.ts";
import { until } from "../../../testdata/waiting.ts";
import { isDeveloper } from "./peer.ts";

/** What makes a process namespace, as functions have one. */
const OTHER_PROCESSES = Deno.uid() === 0
  ? ["unshare", "--pid", "--fork", "--kill-child", "--"]
  : ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--"];

Deno.test({
  name:
    "isDeveloper() knows programs of the developer, and those that pass on requests of functions",
  ignore: !hasNamespace,
  async fn(t) {
    await using stack = new AsyncDisposableStack();
    const listen = async (host: string) => {
      const server = createServer(({ socket }, response) => response.end(`${isDeveloper(socket)}`));
      await once(server.listen(0, host), "listening");
      stack.defer(() => closeServer(server));
      return `http://${host.replace("::1", "[::1]")}:${(server.address() as AddressInfo).port}`;
    };
    const targets = await Promise.all(["127.0.0.1", "::1"].map(listen));
    const start = async (...args: Parameters<typeof Passer.start>) =>
      stack.use(await Passer.start(...args));
    const [target] = targets as [string];
    const developer = await start("alone", target);
    const function_ = await start("alone", target, OTHER_PROCESSES);

    await t.step("a program of the developer, and this process, over IPv4 and IPv6", async () => {
      for (const url of targets) {
        assertEquals(await developer.request(url), "true", url);
        assertEquals(await (await fetch(url)).text(), "true", url);
      }
    });
    await t.step("a function is none", async () => {
      for (const url of targets) assertEquals(await function_.request(url), "false", url);
    });
    await t.step({
      name: "a program of another user is none",
      ignore: Deno.uid() !== 0,
      async fn() {
        await using other = await Passer.start("of another user", target);
        for (const url of targets) assertEquals(await other.request(url), "false", url);
      },
    });
    await t.step("a program that passes on a request of a function is none", async () => {
      for (const kind of ["alone", "with a worker"] as const) {
        const near = await start(kind, target);
        const far = await start(kind, near.url);
        for (const { url } of [near, far]) {
          assertEquals(await developer.request(url), "true", kind);
          await using function_ = await Passer.start("alone", "", OTHER_PROCESSES);
          assertEquals(await function_.request(url), "false", kind);
          assertEquals(await developer.request(url), "false", "while the function is connected");
        }
      }
    });
    await t.step("an editor is one, also if a function uses the same database", async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      let queried = 0;
      const database = createServer((_, response) => {
        queried++;
        void promise.then(() => response.end());
      });
      await once(database.listen(0, "127.0.0.1"), "listening");
      stack.defer(() => closeServer(database));
      const { port } = database.address() as AddressInfo;
      const queries = `http://127.0.0.1:${port}`;
      const editor = await start("alone", queries);
      const pending = [developer.request(editor.url), function_.request(queries)];
      await until("both queries", () => queried === 2);
      assertEquals(await editor.request(target), "true");
      resolve();
      await Promise.all(pending);
    });
  },
});
