import { assertEquals } from "@std/assert";
import { serve } from "../../testdata/bundle.ts";
import { startApp } from "../../testdata/sandbox.ts";

/** A function that gets a URL with clients that read the variables. */
const CLIENTS = `
import axios from "npm:axios@1.13.2";
import { EnvHttpProxyAgent, request } from "npm:undici@7.16.0";
export const handler = async (url) => {
  const direct = await request(url);
  const agent = new EnvHttpProxyAgent({ proxyTunnel: false }); // without CONNECT
  const proxied = await request(url, { dispatcher: agent });
  return {
    axios: (await axios.get(url)).data,
    fetch: await (await fetch(url)).text(),
    undici: await direct.body.text(),
    "undici with an agent": await proxied.body.text(),
  };
};
`;

Deno.test({
  name: "axios and undici work in a function, with the proxy of its manifest and without one",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using server = serve(() => new Response("direct"));
    await using proxy = serve(() => new Response("through the proxy"));
    const hosts = [server, proxy].map(({ url }) => new URL(url).host);
    const direct = {
      axios: "direct",
      fetch: "direct",
      undici: "direct",
      "undici with an agent": "direct",
    };
    const proxied = {
      axios: "through the proxy",
      fetch: "through the proxy",
      undici: "direct",
      "undici with an agent": "through the proxy",
    };
    for (
      const [environment, expected] of [
        [{}, direct],
        [{ HTTP_PROXY: proxy.url, NO_PROXY: "127.0.0.1" }, direct],
        [{ http_proxy: proxy.url }, proxied],
      ] as const
    ) {
      const settings = { environment, memory: 512, permissions: { net: hosts } };
      await using app = await startApp(CLIENTS, settings);
      const { json } = await app.invoke(server.url);
      assertEquals(json, expected as unknown, `${JSON.stringify(environment)} ${app.log.join()}`);
    }
  },
});
