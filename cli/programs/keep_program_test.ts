import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import "../../testdata/own_environment.ts";
import { makeDenoPackage, serve } from "../testdata/bundle.ts";
import { keepProgram } from "./keep_program.ts";

/** A registry with one package, and an empty cache. */
async function setUp(files?: Parameters<typeof makeDenoPackage>[0]) {
  const { tarball, package_ } = await makeDenoPackage(files);
  const folder = await Deno.makeTempDir();
  const cache = `${folder}/mate`;
  const served = { requests: [] as string[], status: 200, tarball };
  const server = serve((request) => {
    served.requests.push(new URL(request.url).pathname);
    return new Response(served.tarball, { status: served.status });
  });
  return {
    package_,
    served,
    source: { cache, registry: `${server.url}/npm` },
    cached: () => Array.fromAsync(Deno.readDir(folder), ({ name }) => name),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

Deno.test("keepProgram() downloads a tarball once, and keeps its program", async () => {
  await using parts = await setUp();
  const { package_, source, served } = parts;
  for (const _ of [1, 2]) {
    assertEquals(await Deno.readTextFile(await keepProgram(package_, source)), "deno");
  }
  assertEquals(served.requests, ["/npm/@deno/test/-/test-1.2.3.tgz"]);
  assertEquals(await parts.cached(), ["mate-deno-test-1.2.3"]);
});

Deno.test("keepProgram() replaces a program that changes after it was compared", async () => {
  await using parts = await setUp();
  const { package_, source, served } = parts;
  for (const count of [1, 2, 3]) {
    const program = await keepProgram(package_, source);
    assertEquals(await keepProgram(package_, source), program);
    assertEquals(await keepProgram(package_, source), program);
    assertEquals(await Deno.readTextFile(program), "deno");
    assertEquals(served.requests.length, count);
    await new Promise((resolve) => setTimeout(resolve, 20)); // The time of a file has steps of some milliseconds.
    if (count === 1) await Deno.writeTextFile(program, "evil"); // as long as before
    else await Deno.remove(program);
  }
});

Deno.test("keepProgram() refuses a tarball with a wrong hash, and does not keep it", async () => {
  await using parts = await setUp();
  parts.served.tarball = (await makeDenoPackage([["package/deno", "evil"]])).tarball;
  const error = await assertRejects(() => keepProgram(parts.package_, parts.source), Error);
  assertMatch(
    error.message,
    /^Cannot use "http:.*\/test-1\.2\.3\.tgz": its checksum is "sha512-[^"]+", not the pinned "sha512-/,
  );
  assertEquals(await parts.cached(), []);
});

Deno.test("keepProgram() refuses a package without Deno", async () => {
  await using parts = await setUp([["package/other", "x"]]);
  const error = await assertRejects(() => keepProgram(parts.package_, parts.source), Error);
  assertEquals(
    error.message,
    'Cannot unpack "@deno/test@1.2.3": the package does not contain "package/deno"',
  );
});

Deno.test("keepProgram() names a registry that lacks the package, does not answer or is not a URL", async () => {
  await using parts = await setUp();
  const { package_, source, served } = parts;
  served.status = 404;
  const message = async (registry: string) =>
    (await assertRejects(() => keepProgram(package_, { ...source, registry }), Error)).message;
  assertMatch(
    await message(source.registry),
    /^Cannot download "http:\/\/127\.0\.0\.1:\d+\/npm\/@deno\/test\/-\/test-1\.2\.3\.tgz": the server answers 404$/,
  );
  assertMatch(
    await message("http://127.0.0.1:9/"),
    /^Cannot download "http:\/\/127\.0\.0\.1:9\/.*": /,
  );
  assertMatch(
    await message("nowhere"),
    /^Cannot download "nowhere\/@deno\/test\/-\/test-1\.2\.3\.tgz": Invalid URL/,
  );
  assertEquals(await parts.cached(), []);
});

Deno.test("keepProgram() ignores an empty NPM_CONFIG_REGISTRY", async () => {
  await using parts = await setUp();
  const { package_, source: { cache, registry } } = parts;
  Deno.env.set("NPM_CONFIG_REGISTRY", "");
  Deno.env.set("npm_config_registry", registry);
  assertEquals(await Deno.readTextFile(await keepProgram(package_, { cache })), "deno");
});
