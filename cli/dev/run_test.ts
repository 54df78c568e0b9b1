import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Command, createApp, greet, manifest } from "../testdata/command.ts";
import { Bundles } from "../bundle/modules/bundles.ts";
import { Log } from "../lambda/log.ts";
import { readLocally } from "./resolve_locally.ts";
import { readSettings } from "./beginning.ts";
import { isSource, run } from "./run.ts";
import { startPlatform } from "./platform.ts";
import { PortTakenError } from "./server.ts";
import { Debugger } from "../testdata/debugger.ts";
import { TestHost } from "../testdata/platform.ts";
import { temporaryFolder } from "../../testdata/programs.ts";
import { within } from "../../testdata/waiting.ts";

Deno.test("the command runs an application, reloads it and stops", async () => {
  const folder = await createApp();
  const module = join(folder, "hello.ts");
  const app = join(folder, "app.json");
  await using command = new Command(["--data", "data", "--port", "0", "app.json"], folder);
  const [, base] = await command.find(
    /^greeter is running\n[^]*Base URL {4}(\S+)\n[^]*Ctrl-C/,
  );
  const hello = async () => await (await fetch(`${base}/hello`)).text();
  assertStringIncludes(command.output, `curl '${base}/hello'`);
  assertEquals((await Deno.stat(join(folder, "data/buckets/files"))).isDirectory, true);
  const names = (await Array.fromAsync(Deno.readDir(join(folder, "data")))).map(({ name }) => name);
  assertEquals(names.includes(".gitignore"), false, "the folder is not the own one");
  assertEquals(await hello(), "Hello");

  await Deno.writeTextFile(module, greet("Hello again"));
  await command.find(/platform {5}Reloaded hello: the next invocation runs the new code\n/);
  assertEquals(await hello(), "Hello again");

  await Deno.writeTextFile(module, greet("Hello at last"));
  await Deno.writeTextFile(app, "{");
  await command.find(
    /platform {5}ERROR Cannot read the manifest .* ↵ For now, the old version still answers\n/,
  );
  assertStringIncludes(await hello(), "Hello");

  await Deno.writeTextFile(app, manifest("/greet"));
  await command.find(new RegExp(`[^]*Reloading "[^]*curl '${base}/greet'`));
  const greeting = await fetch(`${base}/greet`);
  assertEquals([await greeting.text(), (await fetch(`${base}/hello`)).status], [
    "Hello at last",
    403,
  ]);

  command.kill("SIGINT");
  assertEquals([await command.status(), await command.errors], [0, ""]);
});

Deno.test("startPlatform() lets a debugger attach, and says where", async () => {
  const folder = await createApp();
  const { error } = console;
  const lines: string[] = [];
  console.error = (line) => lines.push(line);
  await using platform = await startPlatform(join(folder, "app.json"), { inspect: "hello" })
    .finally(() => console.error = error);
  assertStringIncludes(lines.join("\n"), platform.inspectorUrl!);
  await using client = await Debugger.attach(platform.inspectorUrl!);
  await client.breakAt(pathToFileURL(join(folder, "hello.ts")).href, 1, false);
  const own = { inspect: "hello", host: new TestHost(() => "{}") };
  await assertRejects(() => startPlatform(join(folder, "app.json"), own), TypeError, "of your own");
});

/** The folder of the applications that run in the process of the tests, and their bundler, which takes longer to start than a bundle. */
const parent = temporaryFolder();
const bundles = new Bundles({ folder: parent, quiet: 0 });

const createHere = async () => await createApp(await Deno.makeTempDir({ dir: parent }));

/** Runs an application in the process of the test, until `onLine` stops it. */
async function runHere(
  folder: string,
  onLine: (line: string, stop: () => void) => void,
  isVerbose = false,
  ownBundles = bundles,
): Promise<string> {
  const lines: string[] = [];
  const controller = new AbortController();
  const options = { manifestPath: join(folder, "app.json"), data: join(folder, "data") };
  const read = () => readLocally(options.manifestPath, { secrets: {} });
  const begun = {
    settings: await readSettings(options.manifestPath),
    ...{ local: await read(), read, bundles: ownBundles, log: new Log() },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const environment = {
    signal: controller.signal,
    print(line: string) {
      lines.push(line);
      onLine(line, () => controller.abort());
    },
    isColored: false,
  };
  const running = run({ ...options, port: 0, isVerbose }, environment, begun);
  try {
    await within("the end of the application", running, () => lines.join("\n"));
  } finally {
    controller.abort();
  }
  return lines.join("\n");
}

Deno.test("run() finds that the port is in use before it bundles", async () => {
  const folder = await createApp();
  const taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  try {
    const lines: string[] = [];
    const options = { manifestPath: join(folder, "app.json"), data: join(folder, "data") };
    const running = run({ ...options, port: taken.addr.port }, {
      signal: new AbortController().signal,
      print: (line) => void lines.push(line),
      isColored: false,
    });
    await assertRejects(() => running, PortTakenError, `Cannot listen on port ${taken.addr.port}`);
    assertEquals(lines, []);
  } finally {
    taken.close();
  }
});

Deno.test("run() prints START, END and REPORT only if it is verbose, and what functions say", async () => {
  const folder = await createHere();
  await Deno.writeTextFile(
    join(folder, "hello.ts"),
    `let count = 0;
    export const handler = () => console.log("START of call", ++count);`,
  );
  for (const isVerbose of [false, true]) {
    let base = "";
    const output = await runHere(folder, async (line, stop) => {
      base ||= /Base URL {4}(\S+)/.exec(line)?.[1] ?? "";
      if (line.includes("START of call 2")) stop();
      for (let call = 1; line.includes("Stop with Ctrl-C") && call <= 2; call++) {
        await fetch(`${base}/hello`).then((response) => response.body?.cancel()).catch(() => {}); // It may have stopped.
      }
    }, isVerbose);
    const lines = [...output.matchAll(/ hello {8}(?:\S+\t\S+\tINFO\t)?(START|END|REPORT) (\w+)/g)]
      .map(([, first, second]) => `${first} ${second}`);
    const id = "RequestId";
    assertEquals(
      lines.slice(0, 6), // The last END may come after the stop.
      isVerbose
        ? [`START ${id}`, "START of", `END ${id}`, `REPORT ${id}`, `START ${id}`, "START of"]
        : ["START of", "START of"],
    );
  }
});

Deno.test("run() ignores files that no function uses, and reports a fault once", async () => {
  const folder = await createHere();
  // A reload that is under way may read the module at any time. So the new text comes at once, and not after an empty file.
  const replace = async (text: string) => {
    const file = await Deno.makeTempFile();
    await Deno.writeTextFile(file, text);
    await Deno.rename(file, module);
  };
  const module = join(folder, "hello.ts");
  const notes = join(folder, "notes.txt");
  let base = "";
  const output = await runHere(folder, async (line, stop) => {
    base ||= /Base URL {4}(\S+)/.exec(line)?.[1] ?? "";
    if (line.includes("Stop with Ctrl-C")) {
      await (await fetch(`${base}/hello`)).text(); // Its code is the old code.
      await replace("export const handler = (");
    }
    if (line.includes("Cannot bundle")) {
      // The output of the command may be written to a file in the folder.
      for (let i = 0; i < 3; i++) {
        await Deno.writeTextFile(notes, `${i}`);
        await new Promise((resolve) => setTimeout(resolve, 400)); // longer than a watch waits
      }
      await replace(greet("Hello"));
    }
    if (line.includes("Reloaded")) stop();
  });
  const messages = output.match(/(?<= hello {8})ERROR Cannot bundle|For now.*|Reloaded.*/g);
  assertEquals(messages, [
    "ERROR Cannot bundle",
    "For now, the old code of hello still answers",
    "Reloaded hello: the next invocation runs the new code",
  ]);
});

/** Runs an application whose developer saves a file right before the watch of a folder begins, until it answers so. */
async function saveBeforeWatch(
  folder: string,
  watched: string,
  save: () => void,
  isNew: (text: string, status: number) => boolean,
  ownBundles = bundles,
): Promise<void> {
  const { watchFs } = Deno;
  Deno.watchFs = (path, options) => {
    if (path === watched) save();
    return watchFs(path, options);
  };
  let base = "";
  let isAsking = false; // A restart shows the application again.
  const ask = async () => {
    const answer = await fetch(`${base}/hello`);
    return isNew(await answer.text(), answer.status);
  };
  try {
    await runHere(
      folder,
      async (line, stop) => {
        base ||= /Base URL {4}(\S+)/.exec(line)?.[1] ?? "";
        if (isAsking || !line.includes("Stop with Ctrl-C")) return;
        isAsking = true;
        for (let tries = 0; tries < 1_000; tries++) {
          if (await ask().catch(() => false)) return stop(); // During a restart nobody answers.
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      },
      false,
      ownBundles,
    );
  } finally {
    Deno.watchFs = watchFs;
  }
}

Deno.test("run() takes a change of a file elsewhere that was saved before the watch of its folder began", async () => {
  const root = temporaryFolder();
  const folder = await createApp(join(root, "app"));
  const words = join(root, "words/mod.ts");
  await Deno.mkdir(join(root, "words"));
  for (
    const [path, text] of [
      [join(root, "deno.json"), `{ "workspace": ["./app", "./words"] }`],
      [join(root, "words/deno.json"), "{}"],
      [join(folder, "deno.json"), "{}"],
      [join(folder, "hello.ts"), `export { handler } from "../words/mod.ts";`],
      [words, greet("old")],
    ] as const
  ) await Deno.writeTextFile(path, text);
  await using own = new Bundles({ folder, quiet: 0 });
  const save = () => Deno.writeTextFileSync(words, greet("new"));
  const isNew = (text: string) => text === "new";
  await saveBeforeWatch(folder, join(root, "words"), save, isNew, own);
});

Deno.test("run() takes what was saved before the watch of its own folder began", async () => {
  for (
    const [file, text, isNew] of [
      ["hello.ts", greet("new"), (text: string) => text === "new"],
      ["app.json", manifest("/greet"), (_text: string, status: number) => status === 403],
    ] as const
  ) {
    const folder = await createHere();
    await bundles.take([join(folder, "hello.ts")]); // so that its first bundle is there before the watch begins
    const save = () => Deno.writeTextFileSync(join(folder, file), text);
    await saveBeforeWatch(folder, folder, save, isNew);
  }
});

Deno.test("run() starts although a function cannot be bundled, and takes its repair", async () => {
  const folder = await createHere();
  await Deno.writeTextFile(join(folder, "hello.ts"), "export const handler = (");
  const output = await runHere(folder, async (line, stop) => {
    if (line.includes("nothing answers")) {
      await Deno.writeTextFile(join(folder, "hello.ts"), greet("Hello"));
    }
    if (line.includes("Reloaded")) stop();
  });
  assertMatch(
    output,
    /Ctrl-C[^]* hello {8}ERROR Cannot bundle the function "hello": .* ↵ For now, nothing answers for hello\n[^]*Reloaded hello: /,
  );
});

Deno.test("run() keeps the old version if the platform of a changed manifest does not open", async () => {
  const folder = await createHere();
  const settings = JSON.parse(manifest("/hello"));
  const hello = settings.functions.hello.triggers;
  // The folder of this bucket cannot be made.
  const broken = structuredClone(settings);
  broken.functions.hello.triggers = {
    ...hello,
    buckets: [{ name: "taken", events: ["s3:ObjectCreated:*"] }],
    routes: [{ method: "GET", path: "/broken" }],
  };
  const texts: string[] = [];
  let isBroken = false;
  const output = await runHere(folder, async (line, stop) => {
    const [, url] = /curl '(\S+\/(?:hello|again))'/.exec(line) ?? [];
    if (line.includes("Stop with Ctrl-C") && !isBroken) {
      isBroken = true;
      await Deno.writeTextFile(join(folder, "data/buckets/taken"), "a file");
      await Deno.writeTextFile(join(folder, "app.json"), JSON.stringify(broken));
    }
    if (/ERROR .* For now, the old version still answers/.test(line)) {
      await Deno.writeTextFile(join(folder, "app.json"), manifest("/again"));
    }
    if (url === undefined) return;
    texts.push(await (await fetch(url)).text());
    if (texts.length === 3) stop(); // No request runs any more.
  }, true);
  assertEquals(texts, ["Hello", "Hello", "Hello"], output);
});

Deno.test("run() takes a handler that was saved together with an invalid manifest", async () => {
  const folder = await createHere();
  const output = await runHere(folder, async (line, stop) => {
    if (line.includes("Reloaded hello")) return stop();
    const [, base] = /Base URL {4}(\S+)/.exec(line) ?? [];
    if (base === undefined) return;
    await (await fetch(`${base}/hello`)).text(); // Its code is the old code.
    Deno.writeTextFileSync(join(folder, "hello.ts"), greet("Hello again"));
    Deno.writeTextFileSync(join(folder, "app.json"), "{");
  });
  assertStringIncludes(output, "For now, the old version still answers", output);
});

Deno.test("run() keeps the old version if a table cannot be changed, and ends if the engine of the tables does not start", async () => {
  const folder = await createHere();
  const write = (path: string, id: string) => {
    const settings = JSON.parse(manifest(path));
    settings.tables = { notes: { key: { [id]: "string" } } };
    return Deno.writeTextFile(join(folder, "app.json"), JSON.stringify(settings));
  };
  await write("/hello", "id");
  let isFirst = true;
  const output = await runHere(folder, async (line, stop) => {
    const isUp = line.includes("Stop with Ctrl-C");
    if (isUp && isFirst) await write("/broken", "other");
    if (/Cannot change the key .* For now, the old version still answers/.test(line)) stop();
    if (isUp) isFirst = false;
  }, true);
  assertStringIncludes(output, "Cannot change the key", output);
  assertEquals(output.match(/curl '\S+\/(hello|broken)'/g)?.length, 2);

  await Deno.remove(join(folder, "data/tables.db"));
  await Deno.mkdir(join(folder, "data/tables.db"));
  const ended = runHere(folder, () => {});
  await assertRejects(() => ended, Error, "Cannot start the engine of the tables");
});

Deno.test("run() takes a change of the manifest during a restart", async () => {
  const folder = await createHere();
  const changes = ["/greet/1", "/greet/2"].values();
  const output = await runHere(folder, async (line, stop) => {
    if (line.includes("/greet/2'")) return stop();
    if (!/Stop with Ctrl-C|Reloading/.test(line)) return;
    const { value } = changes.next();
    if (value) await Deno.writeTextFile(join(folder, "app.json"), manifest(value));
  }, true);
  assertStringIncludes(output, "/greet/2'");
  const services = output.match(/(?<=aws s3 ls --endpoint-url )\S+/g)!;
  assertEquals([services.length, new Set(services).size], [3, 1], "the URL of the services stays");
});

Deno.test("run() restarts the application once for a change of the manifest, also if the system tells of it again", async () => {
  const folder = await createHere();
  const app = join(folder, "app.json");
  let isFirst = true;
  const output = await runHere(folder, async (line, stop) => {
    if (line.includes("Reloaded hello")) return stop();
    if (!line.includes("Stop with Ctrl-C")) return;
    if (isFirst) await Deno.writeTextFile(app, manifest("/again"));
    else {
      await Deno.chmod(app, 0o600);
      await new Promise((resolve) => setTimeout(resolve, 400)); // longer than a watch waits
      await Deno.writeTextFile(join(folder, "hello.ts"), greet("Hello again"));
    }
    isFirst = false;
  }, true);
  assertEquals(output.match(/Reloading "/g)?.length, 1, output);
});

Deno.test("run() restarts the application for another manifest of the same size and time", async () => {
  const folder = await createHere();
  const app = join(folder, "app.json");
  const texts = ["/one", "/two"].map((path) => manifest(path));
  const output = await runHere(folder, (line, stop) => {
    if (line.includes("/two'")) return stop();
    const text = line.includes("Stop with Ctrl-C") ? texts.shift() : undefined;
    if (text === undefined) return;
    Deno.writeTextFileSync(app, text);
    Deno.utimeSync(app, 1_000, 1_000); // as if both were written within one tick of the clock of the file system
  }, true);
  assertEquals(output.match(/Reloading "/g)?.length, 2, output);
});

Deno.test("run() restarts the application if the file .env changes", async () => {
  const folder = await createHere();
  const output = await runHere(folder, async (line, stop) => {
    if (line.includes("Stop with Ctrl-C")) await Deno.writeTextFile(join(folder, ".env"), "A=1");
    if (line.includes("Reloading")) stop();
  });
  assertStringIncludes(output, 'Reloading "');
});

Deno.test("run() keeps the old version if the file .env is wrong, and reads it for the functions of now", async () => {
  const folder = await createHere();
  const emulator = "AWS_ENDPOINT_URL_SES";
  const settings = JSON.parse(manifest("/again"));
  settings.functions.hello.environment = { [emulator]: "https://ses.example" };
  const write = (file: string, text: string) => Deno.writeTextFile(join(folder, file), text);
  let isFirst = true;
  const output = await runHere(folder, async (line, stop) => {
    if (line.includes("/again'")) return stop();
    if (line.includes("Stop with Ctrl-C") && isFirst) {
      isFirst = false;
      await write(".env", "AWS_ACCESS_KEY_ID=a");
    }
    if (line.includes("Cannot use the keys")) {
      await write(".env", `${emulator}=https://ses.example`);
    }
    // A variable of a function is left to the function.
    if (line.includes(`Cannot use ${emulator}`)) await write("app.json", JSON.stringify(settings));
  }, true);
  assertMatch(
    output,
    /AWS_SECRET_ACCESS_KEY is missing ↵ For now, the old version still answers\n[^]*on this machine, such as .* ↵ For now, the old version still answers\n[^]*Reloading "/,
  );
});

Deno.test("the command asks new code of an authorizer, and not the policy that it keeps", async () => {
  const folder = temporaryFolder();
  const check = (Effect: string) =>
    `export const handler = () => ({ principalId: "ada", policyDocument: { Statement: [
      { Action: "*", Effect: "${Effect}", Resource: "*" }] } });`;
  const routes = [{ method: "GET", path: "/hello", authorizer: "check" }];
  const functions = {
    check: { module: "check.ts", ttl: 300, secrets: ["MATE_TEST_GIVEN", "MATE_TEST_ABSENT"] },
    hello: { module: "hello.ts", triggers: { routes } },
  };
  const app = JSON.stringify({ name: "greeter", stage: "v0", functions });
  await Deno.writeTextFile(join(folder, "app.json"), app);
  await Deno.writeTextFile(join(folder, "hello.ts"), greet("Hello"));
  await Deno.writeTextFile(join(folder, "check.ts"), check("Allow"));
  await using command = new Command(["--port", "0", "app.json"], folder, {
    CI: "",
    MATE_SECRETS: '{"MATE_TEST_GIVEN":"sesame"}', // as the npm package passes the secrets of a test
  });
  const [, base] = await command.find(/Base URL {4}(\S+)\n[^]*Ctrl-C/);
  await command.find(/The secret MATE_TEST_ABSENT of "check" has no value on this machine/);
  assertEquals(/MATE_TEST_GIVEN|sesame/.test(command.output), false);
  const ask = async () => {
    const response = await fetch(`${base}/hello`, { headers: { Authorization: "x" } });
    await response.body?.cancel();
    return response.status;
  };
  assertEquals([await ask(), await ask()], [200, 200]);
  await Deno.writeTextFile(join(folder, "check.ts"), check("Deny"));
  await command.find(/Reloaded check: /);
  assertEquals(await ask(), 403);
});

Deno.test("run() closes every watch, even of a folder in a watched folder", {
  sanitizeResources: true,
  sanitizeOps: true,
}, async () => {
  const folder = await createHere();
  await using own = new Bundles({ folder });
  await runHere(folder, (line, stop) => line.includes("Stop with Ctrl-C") && stop(), false, own);
});

Deno.test("isSource() ignores objects, items and hidden files", () => {
  const isOfInterest = isSource("/app", ["/app/data/buckets/", "/app/data/tables.db"]);
  const ignored = [
    "data/buckets",
    "data/buckets/files/a.ts",
    "data/tables.db",
    "data/tables.db-wal",
    ".mate/app/tables.db",
    "node_modules/a.js",
  ];
  for (const path of ignored) assertEquals(isOfInterest(`/app/${path}`), false, path);
  for (const path of ["a.ts", "data/a.ts", "data/buckets.ts", ".env"]) {
    assertEquals(isOfInterest(`/app/${path}`), true, path);
  }
});
