/**
 * Measures what the types of an API of 100 routes cost the compiler: the definitions, and 20 calls by a client. Run by
 * itself, it prints the rows as JSON, and fails if they cost more instantiations than those of tRPC. The count is the same
 * on every machine.
 *
 * @module
 */
import { succeed, temporaryFolder } from "../testdata/programs.ts";
import type { Row } from "./contest.ts";

const COMPILERS = ["5.9.3", "7.0.2"];
const ROUTES = 100;
const CALLS = 20;

/** A contestant: its packages, and its code. */
interface Contestant {
  readonly packages: readonly string[];
  /** The code before the routes. */
  readonly imports: string;
  /** The code around the routes. */
  readonly definition: (routes: string[]) => string;
  /** A route that reads one item, with the schema of what it returns. */
  readonly read: (name: string, schema: string) => string;
  /** A route that takes an item and returns it. */
  readonly write: (name: string, input: string, output: string) => string;
  readonly client: string;
  readonly callRead: (name: string) => string;
  readonly callWrite: (name: string) => string;
}

const ITEM = '{ id: "1", name: "tea", count: 1, tags: ["a"], kind: "a" as const }';
const BODY = '{ name: "tea", count: 1, tags: ["a"], kind: "a" }';
const ZOD = "zod@4.6.7";

const CONTESTANTS: Readonly<Record<string, Contestant>> = {
  "@mate/core": {
    packages: [ZOD],
    imports: `import { type ApiDescription, implement, reply, routes } from "./mate/gateway/mod.ts";
      import { createClient } from "./mate/client/mod.ts";`,
    definition: (routes) =>
      `const api = { ${
        routes.map((route) => route.split("⇒")[0]).join()
      } } as const satisfies ApiDescription;
      export const app = routes(implement(api, { ${
        routes.map((route) => route.split("⇒")[1]).join()
      } }));`,
    read: (name, schema) =>
      `"GET /${name}/{id}": { responses: { 200: ${schema} } }⇒
        "GET /${name}/{id}": (event) => ({ ...${ITEM}, id: event.pathParameters().id })`,
    write: (name, input, output) =>
      `"POST /${name}": { body: ${input}, responses: { 201: ${output} } }⇒
        "POST /${name}": (event) => reply(201, { id: "1", ...event.queryPayload() })`,
    client: `const client = createClient<typeof api>("/v1");`,
    callRead: (name) =>
      `await client("GET /${name}/{id}", { path: { id: "1" } })
      .then((got) => got.ok && got.body.count.toFixed())`,
    callWrite: (name) =>
      `await client("POST /${name}", { body: ${BODY} })
      .then((got) => got.ok && got.body.count.toFixed())`,
  },
  tRPC: {
    packages: [ZOD, "@trpc/server@11.25.2", "@trpc/client@11.25.2"],
    imports: `import { initTRPC } from "@trpc/server";
      import { createTRPCClient, httpBatchLink } from "@trpc/client"; const t = initTRPC.create();`,
    definition: (routes) => `export const app = t.router({ ${routes.join()} });`,
    read: (name, schema) =>
      `${name}: t.procedure.input(z.object({ id: z.string() })).output(${schema})
        .query(({ input }) => ({ ...${ITEM}, id: input.id }))`,
    write: (name, input, output) =>
      `${name}: t.procedure.input(${input}).output(${output})
        .mutation(({ input }) => ({ id: "1", ...input }))`,
    client:
      `const client = createTRPCClient<typeof app>({ links: [httpBatchLink({ url: "/" })] });`,
    callRead: (name) =>
      `await client.${name}.query({ id: "1" }).then((got) => got.count.toFixed())`,
    callWrite: (name) => `await client.${name}.mutate(${BODY}).then((got) => got.count.toFixed())`,
  },
  "Hono RPC": {
    packages: [ZOD, "hono@4.13.19", "@hono/zod-validator@0.9.1"],
    imports: `import { Hono } from "hono"; import { hc } from "hono/client";
      import { zValidator } from "@hono/zod-validator";`,
    definition: (routes) => `export const app = new Hono()${routes.join("")};`,
    read: (name) =>
      `.get("/${name}/:id", (c) => c.json({ ...${ITEM}, id: c.req.param("id") }, 200))`,
    write: (name, input) =>
      `.post("/${name}", zValidator("json", ${input}),
        (c) => c.json({ id: "1", ...c.req.valid("json") }, 201))`,
    client: `const client = hc<typeof app>("/v1");`,
    callRead: (name) =>
      `await client.${name}[":id"].$get({ param: { id: "1" } })
      .then((got) => got.json()).then((got) => got.count.toFixed())`,
    callWrite: (name) =>
      `await client.${name}.$post({ json: ${BODY} })
      .then((got) => got.ok ? got.json() : undefined).then((got) => got && got.count.toFixed())`,
  },
};

/** The program of a contestant: an API of reading and writing routes, each with a schema of its own, and a client. */
function programOf(contestant: Contestant): string {
  const members = (index: number) =>
    `name: z.string(), count: z.number(), tags: z.array(z.string()), kind: z.enum(["a", "b"]),
      own${index}: z.string().optional()`;
  const names = Array.from({ length: ROUTES }, (_, index) => `route${index}`);
  const isRead = (index: number) => index % 2 === 0;
  const routes = names.map((name, index) => {
    const input = `z.object({ ${members(index)} })`;
    const output = `z.object({ id: z.string(), ${members(index)} })`;
    return isRead(index) ? contestant.read(name, output) : contestant.write(name, input, output);
  });
  const calls = names.slice(0, CALLS).map((name, index) =>
    `${isRead(index) ? contestant.callRead(name) : contestant.callWrite(name)};`
  );
  return `import * as z from "zod";
    ${contestant.imports}
    ${contestant.definition(routes)}
    ${contestant.client}
    export async function run() { ${calls.join("\n")} }\n`;
}

/** Installs each contestant in a folder of its own, compiles it, and returns the rows. */
export async function measureTypes(): Promise<Row[]> {
  const npm = (cwd: string, ...packages: string[]) =>
    succeed("npm", ["install", "--no-audit", "--no-fund", ...packages], { cwd });
  const results: Record<string, Record<string, Record<string, number>>> = {};
  for (const [name, contestant] of Object.entries(CONTESTANTS)) {
    const project = temporaryFolder();
    await Deno.writeTextFile(`${project}/package.json`, '{ "type": "module" }');
    const compilers = COMPILERS.map((version) => `typescript-${version}@npm:typescript@${version}`);
    await npm(project, "--legacy-peer-deps", ...contestant.packages, ...compilers);
    const tsc = (version: string, ...args: string[]) =>
      succeed("node", [`node_modules/typescript-${version}/bin/tsc`, ...args], { cwd: project });
    if (name === "@mate/core") {
      const root = new URL("..", import.meta.url).pathname;
      const sources = ["gateway/mod.ts", "client/mod.ts"].map((path) => root + path);
      const options = "--outDir mate --declaration --emitDeclarationOnly --strict --noCheck " +
        "--allowImportingTsExtensions --target es2024 --lib esnext,dom,dom.iterable " +
        "--module esnext --moduleResolution bundler --rootDir";
      await tsc(COMPILERS[0]!, ...options.split(" "), root, ...sources);
    }
    await Deno.writeTextFile(`${project}/program.ts`, programOf(contestant));
    const compilerOptions = {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      target: "es2022",
      lib: ["es2022", "dom", "dom.iterable"],
      module: "esnext",
      moduleResolution: "bundler",
      allowImportingTsExtensions: true,
      types: [],
    };
    const settings = { compilerOptions, files: ["program.ts"] };
    await Deno.writeTextFile(`${project}/tsconfig.json`, JSON.stringify(settings));
    for (const version of COMPILERS) {
      const single = version.startsWith("7") ? ["--singleThreaded"] : [];
      const report = await tsc(version, "--extendedDiagnostics", ...single);
      for (
        const [unit, pattern] of [
          ["instantiations", /^Instantiations:\s+([\d,]+)/m],
          ["s", /^Check time:\s+([\d.]+)s/m],
        ] as const
      ) {
        const found = pattern.exec(report)?.[1];
        if (found === undefined) throw new Error(`tsc ${version} reports no ${unit}:\n${report}`);
        ((results[version] ??= {})[unit] ??= {})[name] = Number(found.replaceAll(",", ""));
      }
    }
  }
  return Object.entries(results).flatMap(([version, units]) =>
    Object.entries(units).map(([unit, values]) => ({
      work: `types of ${ROUTES} routes and ${CALLS} calls`,
      runtime: `TypeScript ${version}`,
      unit,
      values,
    }))
  );
}

if (import.meta.main) {
  const rows = await measureTypes();
  console.log(JSON.stringify(rows, null, 1));
  for (const { runtime, unit, values } of rows) {
    if (unit !== "instantiations" || values["@mate/core"]! < values["tRPC"]!) continue;
    console.error(`The types cost more than those of tRPC: ${runtime}`);
    Deno.exitCode = 1;
  }
}
