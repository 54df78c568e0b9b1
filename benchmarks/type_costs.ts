/**
 * Measures what the types of an API cost the compiler: the definitions, and 20 calls by a client. One API has 100 routes
 * that read or write an item, the other one 300 routes that each have a variable, a query and a body. Run by itself, it
 * prints the rows as JSON, and fails if they cost more instantiations than those of tRPC. The count is the same on every
 * machine.
 *
 * @module
 */
import { succeed, temporaryFolder } from "../testdata/programs.ts";
import type { Row } from "./contest.ts";

const COMPILERS = ["5.9.3", "7.0.2"];
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
  /** A route with a variable, a query and a body; absent if the contestant takes minutes for 300 of them. */
  readonly change?: (name: string, query: string, input: string, output: string) => string;
  readonly client: string;
  readonly callRead: (name: string) => string;
  readonly callWrite: (name: string) => string;
  readonly callChange?: (name: string) => string;
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
    change: (name, query, input, output) =>
      `"PUT /${name}/{id}": {
          path: z.object({ id: z.string() }), query: ${query}, body: ${input}, responses: { 200: ${output} },
        }⇒
        "PUT /${name}/{id}": (event) =>
          ({ ...event.queryPayload(), id: event.pathParameters().id + event.queryStringParameters().page })`,
    client: `const client = createClient<typeof api>("/v1");`,
    callRead: (name) =>
      `await client("GET /${name}/{id}", { path: { id: "1" } })
      .then((got) => got.ok && got.body.count.toFixed())`,
    callWrite: (name) =>
      `await client("POST /${name}", { body: ${BODY} })
      .then((got) => got.ok && got.body.count.toFixed())`,
    callChange: (name) =>
      `await client("PUT /${name}/{id}", { path: { id: "1" }, query: { page: 1 }, body: ${BODY} })
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
    change: (name, query, input, output) =>
      `${name}: t.procedure
        .input(z.object({ path: z.object({ id: z.string() }), query: ${query}, body: ${input} }))
        .output(${output})
        .mutation(({ input }) => ({ ...input.body, id: input.path.id + input.query.page }))`,
    client:
      `const client = createTRPCClient<typeof app>({ links: [httpBatchLink({ url: "/" })] });`,
    callRead: (name) =>
      `await client.${name}.query({ id: "1" }).then((got) => got.count.toFixed())`,
    callWrite: (name) => `await client.${name}.mutate(${BODY}).then((got) => got.count.toFixed())`,
    callChange: (name) =>
      `await client.${name}.mutate({ path: { id: "1" }, query: { page: 1 }, body: ${BODY} })
      .then((got) => got.count.toFixed())`,
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

/** The schema of an item, with a member of its own. */
const itemOf = (index: number, more = "") =>
  `z.object({ ${more}name: z.string(), count: z.number(), tags: z.array(z.string()), kind: z.enum(["a", "b"]),
    own${index}: z.string().optional() })`;

/** The routes and calls of an API. */
interface Api {
  /** The name in the table. */
  readonly work: string;
  readonly routes: number;
  readonly route: (contestant: Contestant, name: string, index: number) => string | undefined;
  readonly call: (contestant: Contestant, name: string, index: number) => string | undefined;
}

const APIS: readonly Api[] = [{
  work: `types of 100 routes and ${CALLS} calls`,
  routes: 100,
  route: ({ read, write }, name, index) => {
    const output = itemOf(index, "id: z.string(), ");
    return index % 2 === 0 ? read(name, output) : write(name, itemOf(index), output);
  },
  call: ({ callRead, callWrite }, name, index) => (index % 2 === 0 ? callRead : callWrite)(name),
}, {
  work: `types of 300 routes with a variable, a query and a body, and ${CALLS} calls`,
  routes: 300,
  route: ({ change }, name, index) => {
    const query =
      `z.object({ page: z.coerce.number<number>(), own${index}: z.string().optional() })`;
    return change?.(name, query, itemOf(index), itemOf(index, "id: z.string(), "));
  },
  call: ({ callChange }, name) => callChange?.(name),
}];

/** The program of a contestant: an API whose routes each have schemas of their own, and a client. */
function programOf(contestant: Contestant, api: Api): string | undefined {
  const names = Array.from({ length: api.routes }, (_, index) => `route${index}`);
  const routes = names.map((name, index) => api.route(contestant, name, index));
  const calls = names.slice(0, CALLS).map((name, index) => `${api.call(contestant, name, index)};`);
  if (routes[0] === undefined) return undefined;
  return `import * as z from "zod";
    ${contestant.imports}
    ${contestant.definition(routes as string[])}
    ${contestant.client}
    export async function run() { ${calls.join("\n")} }\n`;
}

/** Installs each contestant in a folder of its own, compiles it, and returns the rows. */
export async function measureTypes(): Promise<Row[]> {
  const npm = (cwd: string, ...packages: string[]) =>
    succeed("npm", ["install", "--no-audit", "--no-fund", ...packages], { cwd });
  const rows: Row[] = [];
  const add = (work: string, runtime: string, unit: string, name: string, value: number) => {
    const known = rows.find((row) =>
      row.work === work && row.runtime === runtime && row.unit === unit
    );
    if (known) Object.assign(known.values, { [name]: value });
    else rows.push({ work, runtime, unit, values: { [name]: value } });
  };
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
    for (const api of APIS) {
      const program = programOf(contestant, api);
      if (program === undefined) continue;
      await Deno.writeTextFile(`${project}/program.ts`, program);
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
          add(api.work, `TypeScript ${version}`, unit, name, Number(found.replaceAll(",", "")));
        }
      }
    }
  }
  return rows;
}

if (import.meta.main) {
  const rows = await measureTypes();
  console.log(JSON.stringify(rows, null, 1));
  for (const { work, runtime, unit, values } of rows) {
    if (unit !== "instantiations" || values["@mate/core"]! < values["tRPC"]!) continue;
    console.error(`The ${work} cost more than those of tRPC: ${runtime}`);
    Deno.exitCode = 1;
  }
}
