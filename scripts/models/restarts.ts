/**
 * `mate dev` while clients send requests and the manifest changes: every request is answered by a version of the manifest
 * that was there while it ran, each client reads its own writes, and no other program can take a port in between.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { join } from "node:path";
import { run as runApplication } from "../../cli/dev/run.ts";
import { temporaryFolder } from "../../testdata/programs.ts";
import { until, within } from "../../testdata/waiting.ts";

const MODULE = `export const handler = async ({ path, queryStringParameters }) => {
  const version = Deno.env.get("VERSION");
  await new Promise((resolve) => setTimeout(resolve, Number(queryStringParameters?.wait ?? 0)));
  return { body: version };
};`;

/** The manifest of a version. Its last route names the version in the terminal. */
function manifestOf(version: number): string {
  const paths = ["/version", `/version/${version}`];
  const triggers = {
    routes: paths.map((path) => ({ method: "GET", path })),
    buckets: [{ name: "files", events: ["s3:ObjectRemoved:*"] }],
  };
  const environment = { VERSION: String(version) };
  const functions = { one: { module: "one.ts", environment, triggers } };
  return JSON.stringify({ name: "changing", stage: "v0", functions });
}

/** Runs the model for some seconds. Throws if a client sees anything else. */
export async function run(seconds: number, next: (limit: number) => number): Promise<void> {
  const folder = temporaryFolder();
  /** The last version that was written, and the last that runs. */
  let [written, shown] = [0, -1];
  const write = () => Deno.writeTextFile(join(folder, "app.json"), manifestOf(written));
  await Deno.writeTextFile(join(folder, "one.ts"), MODULE);
  await write();
  const stop = new AbortController();
  const lines: string[] = [];
  const running = runApplication({
    manifestPath: join(folder, "app.json"),
    port: 0,
    data: undefined,
    isVerbose: true,
  }, {
    signal: stop.signal,
    isColored: false,
    print(line) {
      lines.push(line);
      const [, version] = /\/v0\/version\/(\d+)'/.exec(line) ?? [];
      if (version !== undefined) shown = Number(version);
    },
  });
  const output = () => lines.join("\n");
  try {
    await until("the start", () => lines.some((line) => line.includes("Ctrl-C")), output);
    const find = (pattern: RegExp) => pattern.exec(output())![1]!;
    const base = find(/Base URL {4}(\S+)/);
    const services = find(/aws s3 ls --endpoint-url (\S+)/);
    const end = Date.now() + seconds * 1_000;

    const ask = async () => {
      while (Date.now() < end) {
        const first = shown;
        const wait = [0, 0, 0, 200][next(4)];
        const response = await fetch(`${base}/version?wait=${wait}`);
        const text = await response.text();
        assertEquals(response.status, 200, `${text}\n${output()}`);
        const version = Number(text);
        assert(
          first <= version && version <= written,
          `Version ${version} answered, from ${first} to ${written}`,
        );
      }
    };
    const store = async (client: number) => {
      const url = `${services}/changing-files-000000000000-us-east-1/${client}`;
      for (let value = 0; Date.now() < end; value++) {
        const put = await fetch(url, { method: "PUT", body: `${value}` });
        assertEquals([put.status, await put.text()], [200, ""]);
        assertEquals(await (await fetch(url)).text(), `${value}`);
      }
    };
    const change = async () => {
      while (Date.now() < end) {
        written++;
        await write();
        const pause = new Promise((resolve) => setTimeout(resolve, next(400)));
        if (next(3) > 0) await until(`version ${written}`, () => shown === written, output);
        await pause;
      }
    };
    const take = async () => {
      const ports = [base, services].map((url) => Number(new URL(url).port));
      while (Date.now() < end) {
        for (const port of ports) {
          try {
            Deno.listen({ hostname: "127.0.0.1", port }).close();
          } catch (error) {
            if (error instanceof Deno.errors.AddrInUse) continue;
            throw error;
          }
          throw new Error(`Another program could take the port ${port}`);
        }
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    };
    const clients = [ask(), ask(), ask(), ask(), store(1), store(2), change(), take()];
    await within("the clients", Promise.all(clients), output);
    await until("the last version", () => shown === written, output);
  } finally {
    stop.abort();
    await within("the end", running, output);
  }
}
