import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { succeed, temporaryFolder } from "../../testdata/programs.ts";
import { serve } from "../testdata/bundle.ts";
import { explain, readSecrets, sign } from "./secret_reader.ts";

const KEYS = {
  AWS_REGION: "eu-west-1",
  AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
  AWS_SECRET_ACCESS_KEY: "wJalrXUtnFEMI",
};

/** Serves requests on the loopback interface, and reads parameters there. */
async function read(
  answer: (request: Request) => Response | Promise<Response>,
  parameters: readonly string[],
  variables: (url: string) => Readonly<Record<string, string>> = (url) => ({
    ...KEYS,
    AWS_ENDPOINT_URL_SSM: url,
  }),
) {
  await using server = serve(answer);
  const environment = variables(server.url);
  return await readSecrets(parameters, (name) => environment[name]);
}

/** Answers as Parameter Store: the value of each parameter is its name, and "none" does not exist. */
async function store(request: Request): Promise<Response> {
  return valuesOf(await request.json());
}

function valuesOf({ Names }: { readonly Names: readonly string[] }): Response {
  const isThere = (name: string) => !name.endsWith("/none");
  return Response.json({
    Parameters: Names.filter(isThere).reverse()
      .map((Name) => ({ Name, Type: "SecureString", Value: `value of ${Name}` })),
    InvalidParameters: Names.filter((name) => !isThere(name)),
  });
}

const failure = (status: number, type: string, Message: string) =>
  Response.json({ __type: `com.amazonaws.ssm#${type}`, Message }, { status });

Deno.test("sign() makes the signature of the AWS SDK", async () => {
  const { authorization } = await sign({
    url: new URL("/a b/ü", "http://127.0.0.1:4566"),
    body: '{"Names":["/shop/dev/KEY"]}',
    fields: { "content-type": "application/x-amz-json-1.1", "x-amz-target": "A.B" },
    region: "eu-west-1",
    credentials: {
      accessKeyId: "AKIDEXAMPLE",
      secretAccessKey: "wJalrXUtnFEMI",
      sessionToken: "token",
    },
    date: new Date("2026-01-02T03:04:05Z"),
  });
  // The SDK has made this. The long tests ask it.
  assertEquals(
    authorization,
    "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260102/eu-west-1/ssm/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target, Signature=edc18e6be6c7708ff4eb7e8394630c9371003cdfb5fa339b5c96a06f97b0c56f",
  );
});

Deno.test("readSecrets() asks for ten parameters at a time, and takes all values", async () => {
  for (const count of [1, 10, 11, 25]) {
    const parameters = Array.from({ length: count }, (_, index) => `/shop/dev/KEY_${index}`);
    const sizes: number[] = [];
    const found = await read(async (request) => {
      const asked = await request.json();
      const { Names, WithDecryption } = asked;
      assertEquals(request.headers.get("x-amz-target"), "AmazonSSM.GetParameters");
      assertEquals([request.method, WithDecryption], ["POST", true]);
      sizes.push(Names.length);
      return valuesOf(asked);
    }, parameters);
    assertEquals(
      found,
      Object.fromEntries(
        parameters.map((name) => [name.slice("/shop/dev/".length), `value of ${name}`]),
      ),
    );
    assertEquals(sizes.sort(), { 1: [1], 10: [10], 11: [1, 10], 25: [10, 10, 5] }[count]);
  }
});

Deno.test("readSecrets() asks again while the service is busy", async () => {
  const answers = [
    () => failure(400, "ThrottlingException", "Rate exceeded"),
    () => failure(500, "InternalServerError", "later"),
    () => new Response("<html>", { status: 503 }),
  ];
  const found = await read(async (request) => {
    const answer = answers.shift();
    return answer === undefined ? await store(request) : answer();
  }, ["/a/b/KEY"]);
  assertEquals([found, answers], [{ KEY: "value of /a/b/KEY" }, []]);
});

Deno.test("readSecrets() says why it cannot read, after one request, and quotes no value", async () => {
  const cases = [
    [
      () => failure(400, "AccessDeniedException", "User is not authorized"),
      /^Cannot read the secrets: 127\.0\.0\.1:\d+ answers 400: AccessDeniedException: User is not authorized$/,
    ],
    [
      store,
      /^Cannot read the secrets: \/shop\/dev\/none has no value \(mate secret set none --stage dev\)$/,
    ],
    [
      () => new Response('{"Parameters":[{"Value":"sesame"}'),
      /^Cannot read the secrets: the answer of 127\.0\.0\.1:\d+ is not JSON$/,
    ],
  ] as const;
  for (const [answer, message] of cases) {
    let requests = 0;
    const reading = read((request) => {
      requests++;
      return answer(request);
    }, ["/shop/dev/KEY", "/shop/dev/none"]);
    assertMatch((await assertRejects(() => reading, Error)).message, message);
    assertEquals(requests, 1);
  }
  const keyless = () => ({ AWS_REGION: "eu-west-1" });
  await assertRejects(() => read(store, ["/a/b/C"], keyless), Error, "has no credentials");
});

Deno.test("readSecrets() names the host that the function may not reach on Deno", async () => {
  const code = `import { readSecrets } from "${import.meta.resolve("./secret_reader.ts")}";
    const keys = { AWS_REGION: "eu-west-1", AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" };
    await readSecrets(["/shop/dev/KEY"], (name: string) => (keys as Record<string, string>)[name]).catch(({ message }) => console.log(message));`;
  const file = `${temporaryFolder()}/read.ts`;
  await Deno.writeTextFile(file, code);
  const output = await succeed(Deno.execPath(), [
    "run",
    "--no-config",
    "--no-prompt",
    "--no-check",
    "--allow-read",
    file,
  ]);
  const host = "ssm.eu-west-1.amazonaws.com";
  assertEquals(
    output.trim(),
    `Cannot read the secrets: the function may not reach ${host}; add "${host}" to "permissions": { "net": [] } of the function`,
  );
});

Deno.test("explain() gives the messages of the whole chain of causes", async () => {
  const several = new AggregateError([new Error("refused ::1"), new Error("refused 127.0.0.1")]);
  const chain = new TypeError("fetch failed", { cause: new Error("connect", { cause: several }) });
  assertEquals(explain(chain), "fetch failed: connect: refused ::1; refused 127.0.0.1");
  const coded = new TypeError("fetch failed", {
    cause: Object.assign(new Error(), { code: "EX" }),
  });
  assertEquals(explain(coded), "fetch failed: EX");
  const error = await fetch("http://127.0.0.1:47999/").catch((error) => error);
  assertMatch(explain(error), /[Cc]onnect/);
});

Deno.test("readSecrets() takes the credentials where the platform offers them", async () => {
  const seen: (string | null)[] = [];
  const answer = async (request: Request) => {
    seen.push(request.headers.get("authorization"));
    if (request.method === "POST") {
      assertEquals(request.headers.get("x-amz-security-token"), "the token");
      return await store(request);
    }
    return Response.json({ AccessKeyId: "AKIDOFFERED", SecretAccessKey: "s", Token: "the token" });
  };
  const found = await read(answer, ["/a/b/KEY"], (url) => ({
    AWS_REGION: "eu-west-1",
    AWS_ENDPOINT_URL: url,
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/credentials`,
    AWS_CONTAINER_AUTHORIZATION_TOKEN: "Basic x",
  }));
  assertEquals([found, seen[0]], [{ KEY: "value of /a/b/KEY" }, "Basic x"]);
  assertMatch(seen[1]!, /Credential=AKIDOFFERED\/\d+\/eu-west-1\/ssm\/aws4_request/);
});
