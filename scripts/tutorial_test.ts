import { assertStringIncludes } from "@std/assert";

const root = new URL("../", import.meta.url);

Deno.test("docs/tutorial.md shows the code of examples/shop as it is", async () => {
  const tutorial = await Deno.readTextFile(new URL("docs/tutorial.md", root));
  for (const [, file, code] of tutorial.matchAll(/^```ts ignore\n\/\/ (\S+)\n([^]*?)^```$/gm)) {
    const source = await Deno.readTextFile(new URL(`examples/shop/${file}`, root));
    assertStringIncludes(source, code!.trimEnd(), file);
  }
});
