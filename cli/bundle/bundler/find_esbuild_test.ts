import { assert, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import "../../../testdata/own_environment.ts";
import { temporaryFolder } from "../../../testdata/programs.ts";
import { serve } from "../../testdata/bundle.ts";
import { askForEsbuild } from "./find_esbuild.ts";

Deno.test("a registry that fails is named with the package and the reason, and asked again", async () => {
  const page = { headers: { "content-type": "text/html" } };
  for (
    const [answer, reason] of [
      [() => new Response("no", { status: 404 }), "the server answers 404"],
      [() => new Response("<html>".repeat(500), page), "but 3 kB of text/html"],
      [undefined, "Connection refused"],
    ] as const
  ) {
    let count = 0;
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const closed = `http://127.0.0.1:${listener.addr.port}`;
    listener.close();
    await using server = serve((_) => {
      count++;
      return answer!();
    });
    for (const name of ["DENO_DIR", "HOME"]) Deno.env.set(name, temporaryFolder());
    Deno.env.set("PATH", "/usr/bin:/bin");
    Deno.env.set("NPM_CONFIG_REGISTRY", answer === undefined ? closed : server.url);
    const { message } = await assertRejects(() => askForEsbuild(undefined), Error);
    assertMatch(message, /^Cannot download the package "esbuild": /);
    assertStringIncludes(message, reason);
    assertStringIncludes(message, "; check the connection and the registry");
    assert(answer === undefined || count >= 3, `${count} requests`);
  }
});
