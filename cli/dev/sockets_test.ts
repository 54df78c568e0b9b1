import { assertEquals } from "@std/assert";
import { within } from "../../testdata/waiting.ts";
import { reply } from "../lambda/http.ts";
import { type Answers, Sockets } from "./sockets.ts";

Deno.test("Sockets answer each request that waited, even if a version between two does not open", async () => {
  await using sockets = await Sockets.open(0, () => {});
  const urls = [`http://localhost:${sockets.port}/`, sockets.servicesUrl, sockets.functionsUrl];
  const ask = () => Promise.all(urls.map(async (url) => await (await fetch(url)).text()));
  const version = (text: string): Answers => ({
    http: () => Promise.resolve(reply(200, [], text)),
    service: () => Promise.resolve(new Response(text)),
  });
  const early = ask();
  sockets.serve(version("first"));
  assertEquals(await within("the first version", early), ["first", "first", "first"]);
  sockets.pause();
  const late = ask();
  await new Promise((resolve) => setTimeout(resolve, 50)); // The requests wait now.
  sockets.pause(); // The second version did not open. The first one opens again.
  sockets.serve(version("first, again"));
  const again = Array(3).fill("first, again");
  assertEquals(await within("the requests that waited", late), again);
});
