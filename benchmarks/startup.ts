import { bundle } from "./_bundle.ts";
import type { Runtime } from "./_runtimes.ts";
import { shuffled, type Spread, spreadOf } from "./_statistics.ts";

/** What functions import of each library. */
const IMPORTS: Readonly<Record<string, string>> = {
  "nothing": "export {};",
  "@mate/core": `export * from ${JSON.stringify(import.meta.resolve("../mod.ts"))};`,
  "@middy/core": peer("middy"),
  "hono/aws-lambda": `export { Hono } from "npm:hono@4.13.19";
    export { handle } from "npm:hono@4.13.19/aws-lambda";
    export { compress } from "npm:hono@4.13.19/compress";`,
  "lambda-api": `export { default } from "npm:lambda-api@1.5.1";`,
  "serverless-http": `export { default } from "npm:serverless-http@4.0.0";`,
  "@aws-lambda-powertools/event-handler":
    `export { Router } from "npm:@aws-lambda-powertools/event-handler@2.35.0/http";
    export { compress } from "npm:@aws-lambda-powertools/event-handler@2.35.0/http/middleware";`,
};

function peer(name: "middy"): string {
  const packages = {
    middy: [
      "core",
      "http-content-negotiation",
      "http-error-handler",
      "http-header-normalizer",
      "http-json-body-parser",
      "http-response-serializer",
    ],
  };
  return packages[name].map((part, index) =>
    `export { default as part${index} } from "npm:@${name}/${part}@6.4.5";`
  ).join("\n");
}

/** The ways to a first gzipped reply of 6 KB: modules that make one and leave it in `reply`. */
const PAYLOAD =
  `Array.from({ length: 60 }, (_, id) => ({ id, guest: "Guest " + id * 7919 % 1000 }))`;
const EVENT = `{ headers: { "Accept-Encoding": "gzip" }, requestContext: {} }`;
const TO_BASE64 = `bytes.toBase64?.() ?? Buffer.from(bytes).toString("base64")`;
const TEXT = `new TextEncoder().encode(JSON.stringify(payload, null, 2))`;
const FIRST_REPLIES: Readonly<Record<string, string>> = {
  "proxyHandler()": `const { proxyHandler } = await import("./@mate_core.js");
    const { body } = await proxyHandler(() => payload)(${EVENT});
    const reply = body;`,
  "buildHttpResponse()":
    `const { buildHttpResponse, FnProxyEvent } = await import("./@mate_core.js");
    const reply = buildHttpResponse(200, payload, { event: new FnProxyEvent(${EVENT}) }).body;`,
  "CompressionStream": `const stream = new CompressionStream("gzip");
    const writer = stream.writable.getWriter();
    writer.write(${TEXT});
    writer.close();
    const parts = [];
    const reader = stream.readable.getReader();
    for (let part; !(part = await reader.read()).done;) parts.push(...part.value);
    const bytes = Uint8Array.from(parts);
    const reply = ${TO_BASE64};`,
  'import("node:zlib")': `const { gzipSync } = await import("node:zlib");
    const bytes = gzipSync(${TEXT});
    const reply = ${TO_BASE64};`,
  "process.getBuiltinModule()": `const { gzipSync } = process.getBuiltinModule("node:zlib");
    const bytes = gzipSync(${TEXT});
    const reply = ${TO_BASE64};`,
};

/** What starting costs. */
export interface StartupReport {
  /** By library: bytes, minified and gzipped. */
  readonly sizes: Readonly<Record<string, number>>;
  /** By library and runtime: milliseconds to import it, less those of importing nothing. */
  readonly imports: Readonly<Record<string, Readonly<Record<string, Spread>>>>;
  /** By way and runtime: milliseconds from nothing to a gzipped reply. */
  readonly firstReplies: Readonly<Record<string, Readonly<Record<string, Spread>>>>;
  /** What importing `@mate/core` loads or touches, and should not. */
  readonly touched: readonly string[];
}

/** Measures starting, each time in a process of its own, in rounds of an order of chance. */
export async function measureStartup(
  folder: string,
  runtimes: readonly Runtime[],
  rounds: number,
): Promise<StartupReport> {
  const sizes: Record<string, number> = {};
  const files: Record<string, string> = {};
  for (const [name, source] of Object.entries(IMPORTS)) {
    const file = name.replaceAll("/", "_");
    await Deno.writeTextFile(`${folder}/${file}.entry.ts`, source);
    await bundle(`${folder}/${file}.entry.ts`, `${folder}/${file}.js`, { isMinified: true });
    sizes[name] = await gzippedSize(await Deno.readFile(`${folder}/${file}.js`));
    files[name] = `${folder}/${file}.import.mjs`;
    await Deno.writeTextFile(files[name], timed(`await import("./${file}.js");`));
  }
  await Deno.writeTextFile(`${folder}/package.json`, '{ "type": "module" }');
  const replies: Record<string, string> = {};
  for (const [index, [name, source]] of Object.entries(FIRST_REPLIES).entries()) {
    replies[name] = `${folder}/reply${index}.mjs`;
    // What is no base64 of a gzip file has no time.
    const check = `if (!reply.startsWith("H4sI")) throw new Error("no gzip");`;
    await Deno.writeTextFile(
      replies[name],
      `const payload = ${PAYLOAD};\n${timed(source + check)}`,
    );
  }
  return {
    sizes,
    imports: await rates(files, runtimes, rounds, "nothing"),
    firstReplies: await rates(replies, runtimes, rounds),
    touched: await touchedByImport(`${folder}/@mate_core.js`, runtimes),
  };
}

/** Runs a piece of code and prints the milliseconds it took. */
function timed(source: string): string {
  return `const start = performance.now();\n${source}\nconsole.log(performance.now() - start);`;
}

/** Times the modules on the runtimes, less the time of one of them in the same round. */
async function rates(
  files: Readonly<Record<string, string>>,
  runtimes: readonly Runtime[],
  rounds: number,
  base?: string,
): Promise<Record<string, Record<string, Spread>>> {
  const result: Record<string, Record<string, Spread>> = {};
  for (const runtime of runtimes) {
    const times: Record<string, number[]> = {};
    for (let round = 0; round < rounds; round++) {
      const taken: Record<string, number> = {};
      for (const [name, file] of shuffled(Object.entries(files))) {
        taken[name] = Number(await runtime.run(file));
      }
      for (const [name, time] of Object.entries(taken)) {
        (times[name] ??= []).push(base === undefined ? time : time - taken[base]!);
      }
    }
    for (const [name, numbers] of Object.entries(times)) {
      if (name !== base) (result[name] ??= {})[runtime.name] = spreadOf(numbers);
    }
  }
  return result;
}

/** The globals that importing a module touches, and the modules of the runtime that it loads. */
async function touchedByImport(file: string, runtimes: readonly Runtime[]): Promise<string[]> {
  const touched: string[] = [];
  const source = await Deno.readTextFile(file);
  for (const [specifier] of source.matchAll(/(?:from|import)\s*\(?"node:[^"]+"/g)) {
    touched.push(specifier);
  }
  const probe = `${file}.probe.mjs`;
  await Deno.writeTextFile(
    probe,
    `const touched = [];
    const before = globalThis.Deno ? undefined : process.moduleLoadList.length;
    const originals = {};
    for (const name of ["process", "Buffer"]) {
      originals[name] = Object.getOwnPropertyDescriptor(globalThis, name);
      Object.defineProperty(globalThis, name, {
        configurable: true,
        get() {
          touched.push(name);
        },
      });
    }
    await import(${JSON.stringify(file)});
    Object.defineProperties(globalThis, originals);
    if (before !== undefined) touched.push(...process.moduleLoadList.slice(before));
    console.log(JSON.stringify(touched));`,
  );
  for (const runtime of runtimes) {
    const found: string[] = JSON.parse(await runtime.run(probe));
    touched.push(...found.map((name) => `${name} (${runtime.name})`));
  }
  return touched;
}

async function gzippedSize(bytes: Uint8Array<ArrayBuffer>): Promise<number> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(stream).arrayBuffer()).byteLength;
}
