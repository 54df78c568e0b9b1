import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { invocation, StubApi } from "./testdata/stub_api.ts";

const BOOTSTRAP = new URL("bootstrap.ts", import.meta.url).pathname;
const TASK_ROOT = new URL("testdata/task", import.meta.url).pathname;

// The processes count towards the coverage, where it is measured.
const coverage = Deno.env.get("DENO_COVERAGE_DIR");
const COVERAGE: Record<string, string> = coverage ? { DENO_COVERAGE_DIR: coverage } : {};

interface Ended {
  code: number;
  log: string;
}

/** Runs a program in a process of its own, with nothing but the given environment. */
async function runProcess(
  program: string,
  env: Record<string, string>,
  during?: (child: Deno.ChildProcess) => Promise<void>,
  root = TASK_ROOT,
): Promise<Ended> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--no-lock",
      "--no-config",
      "--allow-env",
      "--allow-net=127.0.0.1",
      `--allow-read=${root}`,
      program,
    ],
    clearEnv: true,
    env: { HOME: "/tmp", NO_COLOR: "1", ...COVERAGE, ...env },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const output = child.output();
  await during?.(child);
  const { code, stdout, stderr } = await output;
  return { code, log: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}

function boot(stub: StubApi, handler: string, env: Record<string, string> = {}): Promise<Ended> {
  return runProcess(BOOTSTRAP, {
    AWS_LAMBDA_RUNTIME_API: stub.api,
    LAMBDA_TASK_ROOT: TASK_ROOT,
    _HANDLER: handler,
    ...env,
  });
}

for (
  const [handler, body] of [
    ["index.handler", '{"got":1}'],
    ["index.app.handle", '"app"'],
    ["common.handler", '"cjs"'],
    ["nested/deep.handler", '"deep"'],
    ["typed.handler", '"typed"'],
    [`${TASK_ROOT}/index.handler`, '{"got":1}'],
  ] as const
) {
  Deno.test(`the bootstrap serves ${handler.replace(TASK_ROOT, "…")}, and ends with 1 when refused`, async () => {
    await using stub = new StubApi([invocation(1)]);
    const { code, log } = await boot(stub, handler);
    assertEquals(stub.posts.map((post) => post.body), [body]);
    assertEquals(code, 1);
    assertStringIncludes(log, "The runtime cannot go on");
    assertStringIncludes(log, "answered 410");
  });
}

for (
  const [handler, type, message] of [
    ["nowhere.handler", "Runtime.ImportModuleError", "no module"],
    ["missing_import.handler", "Runtime.ImportModuleError", "nowhere.js"],
    ["index.nothing", "Runtime.HandlerNotFound", 'exports no "nothing"'],
    ["index.constructor", "Runtime.HandlerNotFound", 'exports no "constructor"'],
    ["index.handler.toString.x", "Runtime.HandlerNotFound", "exports no"],
    ["index.app.toString", "Runtime.HandlerNotFound", "exports no"],
    ["index.text", "Runtime.HandlerNotFound", "expected a function, got string"],
    ["index.old", "Runtime.CallbackHandlerDeprecated", "takes a callback"],
    ["", "Runtime.MalformedHandlerName", "_HANDLER must be"],
    ["index", "Runtime.MalformedHandlerName", '"index"'],
    ["index.", "Runtime.MalformedHandlerName", '"index."'],
    [".handler", "Runtime.MalformedHandlerName", '".handler"'],
    ["../task/index.handler", "Runtime.MalformedHandlerName", '".."'],
    ["nested/../index.handler", "Runtime.MalformedHandlerName", '".."'],
    ["throws.handler", "Function.RangeError", "no such configuration"],
  ] as const
) {
  Deno.test(`the bootstrap reports a start that fails with ${type}: ${JSON.stringify(handler)}`, async () => {
    await using stub = new StubApi([invocation(1)]);
    const { code, log } = await boot(stub, handler);
    assertEquals(code, 1);
    assertEquals(stub.requests.map(({ path }) => path), ["/2018-06-01/runtime/init/error"]);
    const [{ headers, body }] = stub.posts as [typeof stub.posts[0]];
    assertEquals(headers["lambda-runtime-function-error-type"], type);
    assertStringIncludes(JSON.parse(body).errorMessage, message);
    assertStringIncludes(log, message);
  });
}

Deno.test("the process ends with 1 where the handler's module never settles, and says where", async () => {
  await using stub = new StubApi([]);
  const { code, log } = await boot(stub, "stuck.handler");
  assertEquals([code, stub.requests], [1, []]); // Deno itself ends it
  assertMatch(log, /never resolved[^]*stuck\.js/);
});

Deno.test("the bootstrap tells code that does not parse from a module that is missing", async () => {
  const root = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${root}/parse.js`, "export const handler = ( => {};\n");
    await Deno.writeTextFile(`${root}/twice.js`, "let a; let a; export const handler = 1;\n");
    for (const name of ["parse", "twice"]) {
      await using stub = new StubApi([]);
      const { code } = await runProcess(
        BOOTSTRAP,
        {
          AWS_LAMBDA_RUNTIME_API: stub.api,
          LAMBDA_TASK_ROOT: root,
          _HANDLER: `${name}.handler`,
        },
        undefined,
        root,
      );
      assertEquals(code, 1);
      const field = stub.posts[0]?.headers["lambda-runtime-function-error-type"];
      assertEquals(field, "Runtime.UserCodeSyntaxError");
    }
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});

Deno.test("the bootstrap refuses a task root that is no absolute path", async () => {
  await using stub = new StubApi([]);
  for (const root of ["", "task"]) {
    const { code } = await boot(stub, "index.handler", { LAMBDA_TASK_ROOT: root });
    assertEquals(code, 1);
    assertStringIncludes(stub.posts.at(-1)!.body, "LAMBDA_TASK_ROOT must be an absolute path");
  }
});

for (
  const [env, message] of [
    [{}, "AWS_LAMBDA_RUNTIME_API is not set"],
    [{ AWS_LAMBDA_RUNTIME_API: "nonsense" }, 'got "nonsense"'],
    [
      { AWS_LAMBDA_RUNTIME_API: "127.0.0.1:1", AWS_LAMBDA_MAX_CONCURRENCY: "many" },
      'got "many"',
    ],
  ] as const
) {
  Deno.test(`the bootstrap says what is wrong with its environment: ${message}`, async () => {
    const { code, log } = await runProcess(BOOTSTRAP, { ...env });
    assertEquals(code, 1);
    assertStringIncludes(log, message);
  });
}

for (
  const [fault, type, message] of [
    ["never", "Runtime.NeverSettled", "The handler never settled"],
    ["rejection", "Function.TypeError", "nobody handles this"],
    ["uncaught", "Function.RangeError", "nobody catches this"],
  ] as const
) {
  Deno.test(`the bootstrap reports the invocation and ends with 1: ${fault}`, async () => {
    const id = "8476a536-e9f4-11e8-9739-2dfe598c3fcd";
    await using stub = new StubApi([
      invocation({ fault: "none" }),
      invocation({ fault }, { "Lambda-Runtime-Aws-Request-Id": id }),
      invocation({ fault: "none" }),
    ]);
    const { code, log } = await boot(stub, "faults.handler");
    assertEquals(code, 1);
    assertEquals(stub.posts.length, 2, "nothing is fetched after it");
    const { path, headers, body } = stub.posts[1]!;
    assertEquals(path, `/2018-06-01/runtime/invocation/${id}/error`);
    assertEquals(headers["lambda-runtime-function-error-type"], type);
    assertStringIncludes(JSON.parse(body).errorMessage, message);
    assertStringIncludes(log, message);
    assertStringIncludes(log, id);
    assertEquals(log.split(message).length, 2, "it is logged once");
  });
}

for (
  const [fault, type] of [
    ["stream", "Function.RangeError"],
    ["stuck stream", "Runtime.NeverSettled"],
  ] as const
) {
  Deno.test(`the bootstrap ends a stream under way with trailers: ${fault}`, async () => {
    await using stub = new StubApi([invocation({ fault })]);
    const { code } = await boot(stub, "faults.handler");
    assertEquals([code, stub.posts.length], [1, 1]);
    assertEquals(stub.posts[0]!.body, "first");
    assertEquals(stub.posts[0]!.trailers["lambda-runtime-function-error-type"], type);
  });
}

Deno.test("the bootstrap reports the first of several errors, and logs all", async () => {
  await using stub = new StubApi([invocation({ fault: "two" })]);
  const { code, log } = await boot(stub, "faults.handler");
  assertEquals([code, stub.posts.length], [1, 1]);
  assertEquals(JSON.parse(stub.posts[0]!.body).errorMessage, "first");
  assertMatch(log, /first[^]*second/);
});

Deno.test("the bootstrap ends with 1 where even the report of an error is refused", async () => {
  await using stub = new StubApi([invocation({ fault: "uncaught" })]);
  stub.onRequest = ({ path }) => path.endsWith("/error") ? { status: 500 } : undefined;
  const { code, log } = await boot(stub, "faults.handler");
  assertEquals([code, stub.posts.length], [1, 1]);
  assertStringIncludes(log, "nobody catches this");
});

Deno.test("the bootstrap says what it may not read", async () => {
  await using stub = new StubApi([]);
  const { code } = await boot(stub, "index.handler", { LAMBDA_TASK_ROOT: "/elsewhere" });
  assertEquals(code, 1);
  assertStringIncludes(JSON.parse(stub.posts[0]!.body).errorMessage, "/elsewhere/index.js");
});

Deno.test("a handler that ends the process ends it: the platform sees that by itself", async () => {
  await using stub = new StubApi([invocation({ fault: "exit" })]);
  const { code } = await boot(stub, "faults.handler");
  assertEquals([code, stub.posts.length], [0, 0]);
});

Deno.test("the bootstrap ends at once at SIGTERM, its log complete", async () => {
  await using stub = new StubApi([invocation({ fault: "none" })]);
  const arrived = Promise.withResolvers<void>();
  stub.onRequest = ({ path }) => {
    if (!path.endsWith("/next") || stub.posts.length === 0) return undefined;
    arrived.resolve();
    return { delay: 800, status: 410 };
  };
  const { code } = await runProcess(BOOTSTRAP, {
    AWS_LAMBDA_RUNTIME_API: stub.api,
    LAMBDA_TASK_ROOT: TASK_ROOT,
    _HANDLER: "index.handler",
  }, async (child) => {
    await arrived.promise;
    child.kill("SIGTERM");
  });
  assertEquals([code, stub.posts.length], [143, 1]);
});

const SERVE = new URL("testdata/serve_with_shutdown.ts", import.meta.url).pathname;

Deno.test("serve() registers an extension for a shutdown callback, and calls it at SIGTERM", async () => {
  await using stub = new StubApi([invocation('"Ada"')]);
  const arrived = Promise.withResolvers<void>();
  stub.onRequest = ({ path, headers, body }) => {
    if (path === "/2020-01-01/extension/register") {
      assertEquals(body, '{"events":[]}');
      assertEquals(headers["lambda-extension-name"], "mate-core-shutdown");
      return { headers: { "Lambda-Extension-Identifier": "ext-1" }, body: "{}" };
    }
    if (path === "/2020-01-01/extension/event/next") {
      assertEquals(headers["lambda-extension-identifier"], "ext-1");
      return { delay: 800 };
    }
    if (!path.endsWith("/next") || stub.posts.length < 2) return undefined;
    arrived.resolve();
    return { delay: 800, status: 410 };
  };
  const { code, log } = await runProcess(
    SERVE,
    { AWS_LAMBDA_RUNTIME_API: stub.api },
    async (child) => {
      await arrived.promise;
      child.kill("SIGTERM");
    },
  );
  assertEquals(stub.posts.map(({ body }) => body), ['{"events":[]}', '"Hello Ada"']);
  assertEquals(code, 0);
  assertMatch(log, /bye/);
});

Deno.test("serve() calls the shutdown callback also where it ends well, and says what the platform no longer does", async () => {
  await using stub = new StubApi([invocation('"Ada"')]);
  const arrived = Promise.withResolvers<void>();
  stub.onRequest = ({ path }) => {
    if (path === "/2020-01-01/extension/register") {
      return { headers: { "Lambda-Extension-Identifier": "ext-1" }, body: "{}" };
    }
    if (path === "/2020-01-01/extension/event/next") {
      return { raw: "nonsense\r\n\r\n", close: true };
    }
    if (!path.endsWith("/next") || stub.posts.length < 2) return undefined;
    arrived.resolve();
    return { delay: 800, status: 410 };
  };
  const { code, log } = await runProcess(
    SERVE,
    { AWS_LAMBDA_RUNTIME_API: stub.api, FAULT: "0" },
    async (child) => {
      await arrived.promise;
      child.kill("SIGTERM");
    },
  );
  assertEquals([code, log.includes("The shutdown failed")], [0, false]);
  assertMatch(log, /no longer announced[^]*bye/);
});

Deno.test("serve() goes on without announced shutdowns where the platform has none", async () => {
  await using stub = new StubApi([invocation('"Ada"')]);
  stub.onRequest = ({ path }) => path.includes("/extension/") ? { status: 404 } : undefined;
  const { log } = await runProcess(SERVE, { AWS_LAMBDA_RUNTIME_API: stub.api });
  assertEquals(stub.posts.at(-1)!.body, '"Hello Ada"');
  assertStringIncludes(log, "registering the extension was answered 404");
});
