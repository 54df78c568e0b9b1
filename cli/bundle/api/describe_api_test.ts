import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { plainFolders } from "../../lambda/isolation/isolation.ts";
import { ownFolders } from "../../../testdata/own_effects.ts";
import { temporaryFolder } from "../../../testdata/programs.ts";
import { Kept } from "../../programs/kept.ts";
import { describe, GONE, makeShop } from "./testdata/shop.ts";

Deno.test("describeApi() keeps the answer of a module, and asks another module", async () => {
  const kept = new Kept(() => {}, temporaryFolder());
  const api = `export const api = { "GET /orders": ${GONE} };
    export const document = { title: "Made " + crypto.randomUUID() };`;
  await using shop = await makeShop({ "api.ts": api, "other.ts": `${api} console.log(1);` });
  const titles = [];
  for (const module of ["api.ts", "api.ts", "other.ts"]) {
    titles.push(Object((await shop.describe(module, { kept }))?.document.info).title);
  }
  assertEquals([titles[0] === titles[1], titles[1] === titles[2]], [true, false]);
});

for (const isolation of [undefined, plainFolders("a test asks for it")]) {
  const where = isolation?.kind ?? "the best isolation";
  Deno.test({
    name: `describeApi() gives the module no variables and no rights in ${where}`,
    ignore: Deno.build.os === "windows",
    async fn() {
      const victim = await Deno.makeTempFile({ dir: "/var/tmp" }); // not the /tmp of functions
      using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
      const tries = [
        `Deno.readTextFileSync(${JSON.stringify(victim)})`,
        `Deno.writeTextFileSync(${JSON.stringify(victim)}, "changed")`,
        `Deno.connect({ port: ${listener.addr.port} })`,
        `fetch("http://127.0.0.1:${listener.addr.port}/")`,
        `new Deno.Command("/bin/true").outputSync()`,
      ];
      const code = `Deno.env.set("DENO_TEST", "1"); Deno.env.delete("DENO_TEST");
        const done = JSON.stringify([Deno.env.toObject(), { ...process.env }]);
        const tries = [${tries.map((code) => `async () => { await ${code}; }`)}];
        const ended = await Promise.allSettled(tries.map((one) => one()));
        const states = ended.map(({ reason }) => reason?.name);
        export const api = { "GET /orders": ${GONE} };
        export const document = { description: done + states };`;
      try {
        const described = await describe({ "api.ts": code }, { isolation });
        const { description } = Object(described?.document.info);
        assertEquals(description, `[{},{}]${tries.map(() => "NotCapable")}`);
        assertEquals(await Deno.readTextFile(victim), "");
      } finally {
        await Deno.remove(victim);
      }
    },
  });
}

Deno.test("describeApi() names the module and what is wrong", async () => {
  const cases: [code: string | undefined, problem: RegExp][] = [
    [undefined, /^it is not a file in ".+"$/],
    ["export const apis = 1;", /^it does not export "api": it exports apis$/],
    ["export const api = [];", /^TypeError: Invalid routes: expected /],
    [
      'export const api = { "GET /orders": {} };',
      /^TypeError: Invalid description of "GET \/orders", responses: expected an object/,
    ],
    [
      `export const api = { "GET /orders": ${GONE} }; export const document = [];`,
      /^TypeError: Invalid export "document": expected an object with options of openApi\(\)$/,
    ],
    [
      `export const api = { "GET /orders": ${GONE}, "PUT /b": ${GONE}, "PUT /c": ${GONE} };`,
      /^no route of the manifest serves "PUT \/b", "PUT \/c": add the route to a function$/,
    ],
    [
      "let a;\nthrow new RangeError('no');\nexport const api = a;",
      /^RangeError: no\n {4}at .*\b2\b/,
    ],
    ['import "./none.ts"; export const api = 1;', /none\.ts/],
    ["Deno.exit(3); export const api = 1;", /^it ends with the status 3/],
  ];
  const modules = cases.flatMap(([code], index) =>
    code === undefined ? [] : [[`${index}.ts`, code]]
  );
  await using shop = await makeShop(Object.fromEntries(modules));
  for (const [index, [, problem]] of cases.entries()) {
    const { message } = await assertRejects(() => shop.describe(`${index}.ts`), Error);
    const start = `Cannot describe the API of "${index}.ts": `;
    assertEquals(message.slice(0, start.length), start);
    assertMatch(message.slice(start.length), problem);
  }
});

Deno.test("describeApi() ends when it is interrupted, and leaves no folder", async () => {
  const controller = new AbortController();
  const before = ownFolders().length;
  const code = "await new Promise((end) => setTimeout(end, 60_000)); export const api = 1;";
  const describing = describe({ "api.ts": code }, { signal: controller.signal });
  const made = () => ownFolders().slice(before).find((path) => /mate-api-[^/]+$/.test(path));
  const timer = setInterval(() => {
    if (made() !== undefined) controller.abort();
  }, 20);
  await assertRejects(() => describing, DOMException);
  clearInterval(timer);
  await assertRejects(() => Deno.stat(made()!), Deno.errors.NotFound);
});
