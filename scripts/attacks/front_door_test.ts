/** Attacks on the addresses without a secret, which lead the developer's browser to the start page. */
import { assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { makeApp } from "../../cli/testdata/bundle.ts";
import { Command } from "../../cli/testdata/command.ts";
import { Passer } from "../../cli/testdata/pass_on.ts";
import { hasNamespace, RUNTIMES } from "../../cli/testdata/sandbox.ts";
import { browserTest } from "../../testdata/browser.ts";
import { findProgram } from "../../cli/programs/find_program.ts";
import { succeed, temporaryFolder } from "../../testdata/programs.ts";
import { until } from "../../testdata/waiting.ts";

const FUNCTION = `import { request } from "node:http";
const headers = { accept: "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document", "sec-fetch-site": "none" };
const ask = (url) => new Promise((resolve) => {
  request(url, { headers }, (response) => {
    let text = "";
    response.on("data", (part) => text += part).on("end", () => resolve([response.statusCode, JSON.stringify(response.headers) + text]));
  }).on("error", (error) => resolve([0, error.message])).end();
});
export const handler = async ({ urls, path }) => urls !== undefined
  ? await Promise.all(urls.map(ask))
  : { statusCode: 200, headers: { "content-type": "text/html" }, body: "<!DOCTYPE html><title>Page</title>" };`;

const triggers = { routes: [{ method: "GET", path: "/page/{file+}" }] };

/** Starts an application with functions on each runtime. */
async function start(stack: AsyncDisposableStack, args: string[] = [], env = {}) {
  const functions = Object.fromEntries(RUNTIMES.map((runtime) => [
    runtime.replaceAll(".", "-"),
    {
      module: "one.js",
      timeout: 60,
      memory: 512,
      runtime,
      ...runtime === "deno" && { permissions: { net: ["*"] }, triggers },
    },
  ]));
  const app = stack.use(await makeApp({ "one.js": FUNCTION }, functions));
  const command = stack.use(
    new Command(["--port", "0", ...args, "app.json"], app.folder, env),
  );
  const [, startPage = "", secret = ""] = await command.find(
    /Start page\s+(http:\S+\/([0-9a-f]{32})\/)\n[^]*Ctrl-C/,
  );
  const { port } = new URL(startPage);
  const doors = ["127.0.0.1", "localhost", "[::1]"].map((host) => `http://${host}:${port}/`);
  return { command, startPage, secret, doors, port, names: Object.keys(functions) };
}

Deno.test({
  name: "the front door leads programs of the developer to the start page, and no function",
  ignore: !hasNamespace,
  async fn() {
    await using stack = new AsyncDisposableStack();
    const { startPage, secret, doors, names } = await start(stack);
    const [door] = doors as [string];
    const use = async (...args: Parameters<typeof Passer.start>) =>
      stack.use(await Passer.start(...args));
    const developer = await use("alone", door.slice(0, -1));
    for (const url of doors) assertEquals(await developer.request(url), startPage, url);
    const near = await use("alone", door.slice(0, -1));
    const far = await use("alone", near.url);
    const parted = await use("with a worker", door.slice(0, -1));
    assertEquals(await developer.request(`${parted.url}/`), startPage, "the proxies pass on");
    const urls = [...doors, ...[near, far, parted].map(({ url }) => `${url}/`)];
    for (const name of names) {
      const answers: [status: number, text: string][] = await (await fetch(
        `${startPage}2015-03-31/functions/${name}/invocations`,
        { method: "POST", body: JSON.stringify({ urls }) },
      )).json();
      for (const [index, [status, text]] of answers.entries()) {
        assertEquals(status, index < doors.length ? 404 : 200, `${name} ${urls[index]} ${text}`);
        assertEquals(text.includes(secret), false, `${name} ${urls[index]}`);
        assertStringIncludes(text, "may pass on requests of functions", name);
      }
    }
    if (Deno.uid() === 0) {
      const other = await use("of another user", "");
      for (const url of doors) {
        assertEquals((await other.request(url)).includes(secret), false, url);
      }
    }
  },
});

Deno.test({
  name:
    "the front door leads only navigations, sets no cookie, and has another secret in each start",
  ignore: !hasNamespace,
  async fn() {
    const secrets: string[] = [];
    for (const _ of [1, 2]) {
      await using stack = new AsyncDisposableStack();
      const { doors, secret, port } = await start(stack);
      secrets.push(secret);
      const curl = async (url: string, ...args: string[]) =>
        await succeed("curl", ["-gsi", ...args, url]);
      const html = ["-H", "Accept: text/html"];
      for (const url of doors) {
        const led = await curl(url, ...html);
        assertMatch(led, /^HTTP\/1\.1 307 /);
        assertMatch(led, /^cache-control: no-store\r$/im);
        assertMatch(
          led,
          /^content-security-policy: default-src 'none'; frame-ancestors 'none'\r$/im,
        );
        assertEquals(/^set-cookie:/im.test(led), false);
        assertEquals(led.split("\r\n\r\n")[1], "", "a page of a function could read a page");
        for (
          const fields of [
            [],
            ["-H", "Accept: application/json"],
            ["-I", ...html],
            ["-X", "POST", ...html],
            ...["cors", "no-cors", "same-origin", "websocket"].map((mode) => [
              ...["-H", `Sec-Fetch-Mode: ${mode}`, ...html],
            ]),
            ...["iframe", "frame", "embed", "object", "empty", "script", "image"].map((dest) => [
              ...["-H", "Sec-Fetch-Mode: navigate", "-H", `Sec-Fetch-Dest: ${dest}`, ...html],
            ]),
            ["-H", `Host: evil.example:${port}`, ...html],
            ["-H", "Host: evil.example", ...html],
          ]
        ) {
          const answer = await curl(url, ...fields);
          assertMatch(answer, /^HTTP\/1\.1 4\d\d /, `${url} ${fields}`);
          assertEquals(answer.includes(secret), false, `${url} ${fields}`);
        }
      }
    }
    assertNotEquals(secrets[0], secrets[1], "an open tab would send a stable secret");
  },
});

browserTest("a page of a function does not learn where the front door leads", async (browser) => {
  if (!hasNamespace) return;
  await using stack = new AsyncDisposableStack();
  const { doors, startPage, secret, port } = await start(stack);
  const context = await browser.newContext();
  for (const url of doors) {
    const page = await context.newPage();
    await page.goto(url);
    assertEquals(page.url(), startPage);
    await page.close();
  }
  const page = await context.newPage();
  await page.goto(`http://localhost:${port}/v0/page/index.html`);
  assertEquals(await page.title(), "Page");
  const found = await page.evaluate(`(async () => {
    const found = [];
    const headers = { accept: "text/html" };
    for (const url of ${JSON.stringify(doors)}) {
      for (const init of [{}, { headers }, { headers, mode: "no-cors" }, { headers, redirect: "manual" }, { headers, credentials: "include" }]) {
        await fetch(url, init).then(async (response) => found.push(response.url, await response.text()), () => {});
      }
      for (const kind of ["iframe", "embed", "object"]) {
        const element = document.createElement(kind);
        element[kind === "object" ? "data" : "src"] = url;
        const loaded = new Promise((resolve) => { element.onload = element.onerror = resolve; setTimeout(resolve, 1_000); });
        document.body.append(element);
        await loaded;
        try { found.push(element.contentWindow.location.href, element.contentDocument.body.innerHTML); } catch { /* of another origin */ }
      }
      const opened = open(url);
      for (let count = 0; count < 20; count++) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        try { found.push(opened.location.href, opened.document.body.innerHTML); } catch { /* of another origin */ }
      }
      opened?.close();
    }
    found.push(...performance.getEntries().map(({ name }) => name), document.cookie);
    return JSON.stringify(found);
  })()`);
  assertEquals(`${found}`.includes(secret), false, `${found}`);
  assertStringIncludes(`${found}`, " is running", "the page has read the page that helps");
  const cookies = await context.cookies();
  assertEquals(cookies, []);
});

for (const isConfined of [true, false]) {
  Deno.test({
    name: `--open tells no secret to other users ${isConfined ? "with" : "without"} namespaces`,
    ignore: Deno.build.os !== "linux" || isConfined && !hasNamespace,
    async fn() {
      const folder = temporaryFolder();
      await Deno.chmod(folder, 0o755); // Functions may run as another user.
      for (
        const name of ["sh", "setsid", "setpriv", "cat", "stat", ...isConfined ? ["unshare"] : []]
      ) {
        await Deno.symlink((await findProgram(name))!, `${folder}/${name}`);
      }
      const browser = `${folder}/xdg-open`;
      const script = `#!/bin/sh
echo "$@" >${folder}/arguments
file=\${1#/}
[ "$file" = "$1" ] || { stat -c %a "$1"; cat "$1"; } >${folder}/file
echo done >${folder}/done
`;
      await Deno.writeTextFile(browser, script, { mode: 0o755 });
      await using stack = new AsyncDisposableStack();
      const { startPage, secret, doors } = await start(stack, ["--open"], { PATH: folder });
      const read = (name: string) => Deno.readTextFile(`${folder}/${name}`).catch(() => "");
      await until("the browser", async () => await read("done") !== "");
      const place = (await read("arguments")).trim();
      assertEquals(place.includes(secret), false, place);
      if (isConfined) assertEquals([place, await read("file")], [doors[0], ""]);
      else {
        const [mode, page] = (await read("file")).split("\n");
        assertEquals(mode, "600");
        assertStringIncludes(page!, `url=${startPage}"`);
      }
    },
  });
}
