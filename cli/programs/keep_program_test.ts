import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import "../../testdata/own_environment.ts";
import { makeDenoPackage, serve } from "../testdata/bundle.ts";
import { download } from "./downloads.ts";
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

Deno.test("keepProgram() downloads a tarball once for all who need it at the same time", async () => {
  await using parts = await setUp();
  const { package_, source, served } = parts;
  await Promise.all([1, 2, 3].map(() => keepProgram(package_, source)));
  assertEquals(served.requests.length, 1);
  assertEquals(await parts.cached(), ["mate-deno-test-1.2.3"]);
  served.tarball = new Uint8Array([1]);
  await Deno.remove(`${source.cache}-deno-test-1.2.3`, { recursive: true });
  const failed = await Promise.allSettled([1, 2, 3].map(() => keepProgram(package_, source)));
  assertEquals(failed.map(({ status }) => status), Array(3).fill("rejected"));
  assertEquals([served.requests.length, await parts.cached()], [4, []]);
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
    /^Cannot download the package "@deno\/test@1\.2\.3" from "http:.*\/test-1\.2\.3\.tgz": it is not the file that was expected, but \d+ kB of an unknown type with another checksum; check the connection/,
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
    /^Cannot download the package "@deno\/test@1\.2\.3" from "http:\/\/127\.0\.0\.1:\d+\/npm\/@deno\/test\/-\/test-1\.2\.3\.tgz": the server answers 404; check the connection and the registry in NPM_CONFIG_REGISTRY/,
  );
  assertMatch(
    await message("http://127.0.0.1:9/"),
    /^Cannot download .* from "http:\/\/127\.0\.0\.1:9\/.*": .*port 9.*; check/,
  );
  assertMatch(
    await message("nowhere"),
    /^Cannot download .* from "nowhere\/@deno\/test\/-\/test-1\.2\.3\.tgz": Invalid URL/,
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

Deno.test("keepProgram() names what came in place of the package: a page, half of it, or nothing", async () => {
  await using parts = await setUp();
  const head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n";
  for (
    const [answer, reason] of [
      [
        `${head}content-length: 6\r\n\r\n<html>`,
        /": .* but 1 kB of text\/html with another checksum; check/,
      ],
      [`${head}content-length: 99\r\n\r\n<html>`, /": .*\b(closed|end of file|body)\b.*; check/],
      [undefined, /": no byte came for 0\.2 s; check/],
    ] as const
  ) {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const accepting = listener.accept().then(async (connection) => {
      await connection.read(new Uint8Array(1_000));
      if (answer !== undefined) {
        await connection.write(new TextEncoder().encode(answer));
        connection.close();
      }
      return connection;
    });
    const registry = `http://127.0.0.1:${listener.addr.port}`;
    const source = { ...parts.source, registry, patience: 200 };
    const { message } = await assertRejects(() => keepProgram(parts.package_, source), Error);
    assertMatch(message, /^Cannot download the package "@deno\/test@1\.2\.3" from "http/);
    assertMatch(message, reason);
    if (answer === undefined) (await accepting).close();
  }
});

Deno.test("download() tells a large file and each quarter of it, and a server that does not answer", async () => {
  const quarter = new Uint8Array(1024 * 1024);
  const body = () => ReadableStream.from([quarter, quarter, quarter, quarter]);
  const fetching = async (headers: Record<string, string>, before = Promise.resolve()) => {
    await using server = serve(async () => {
      await before;
      return new Response(body(), { headers });
    });
    const lines: string[] = [];
    const tell = (line: string) => void lines.push(line);
    const options = { what: "it", title: "Node.js 24", checksum: "sha256-", tell };
    await assertRejects(() => download(server.url, options), Error, "with another checksum");
    return lines;
  };
  const start = "Fetching Node.js 24 (4 MB)";
  const length = { "content-length": `${4 * quarter.length}` };
  assertEquals(await fetching(length), [
    start,
    ...[25, 50, 75].map((percent) => `${start}: ${percent} %`),
  ]);
  assertEquals(await fetching({}), []);
  const late = new Promise<void>((resolve) => setTimeout(resolve, 1_500));
  assertEquals(await fetching({}, late), ["Fetching Node.js 24"]);
});

Deno.test("keepProgram() leaves the mode of a program that has it, and removes what a killed download has left", async () => {
  await using parts = await setUp();
  const { package_, source } = parts;
  const program = await keepProgram(package_, source);
  const left = `${program}.${crypto.randomUUID()}`;
  const written = `${program}.${crypto.randomUUID()}`; // by another process
  for (const path of [left, written]) await Deno.writeTextFile(path, "part");
  await Deno.utime(left, new Date(0), new Date(0));
  const { chmod } = Deno;
  Deno.chmod = () => Promise.reject(new Deno.errors.PermissionDenied("a foreign cache"));
  try {
    assertEquals(await keepProgram(package_, source), program);
  } finally {
    Deno.chmod = chmod;
  }
  const names = await Array.fromAsync(
    Deno.readDir(program.replace(/[^/]*$/, "")),
    ({ name }) => name,
  );
  assertEquals(names.sort(), ["deno", written.replace(/^.*\//, "")].sort());
});

Deno.test("keepProgram() removes the programs that were not used for the longest time, if all are too large", async () => {
  await using parts = await setUp();
  const { package_, source } = parts;
  for (const version of ["1.2.1", "1.2.2", "1.2.3", "1.2.4"]) {
    const limit = 3 * "deno".length;
    const program = await keepProgram({ ...package_, version }, { ...source, limit });
    const time = new Date(version === "1.2.1" ? 2_000 : 1_000); // The first one was used later than the second.
    await Deno.utime(program.replace(/\/[^/]*$/, ""), time, time);
  }
  const kept = ["1.2.1", "1.2.3", "1.2.4"].map((version) => `mate-deno-test-${version}`);
  assertEquals((await parts.cached()).sort(), kept);
});
