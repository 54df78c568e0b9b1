import { assertEquals, assertMatch } from "@std/assert";
import { startPlatform } from "@mate/cli/platform";
import { makeApp } from "../../cli/testdata/bundle.ts";
import { TestHost } from "../../cli/testdata/platform.ts";

Deno.test("no function sends a request that the developer's login signs to a host of an attacker", async () => {
  const evil = {
    module: "evil.js",
    runtime: "nodejs24.x",
    statements: [{ Effect: "Allow", Action: ["ses:SendEmail", "ssm:*"], Resource: "*" }],
  };
  await using app = await makeApp({ "evil.js": "", ".env": "" }, { evil });
  const keys = "AWS_ACCESS_KEY_ID=AKIADEVELOPER\nAWS_SECRET_ACCESS_KEY=secret\n";
  await Deno.writeTextFile(`${app.folder}/.env`, keys);
  const { fetch } = globalThis;
  await using stack = new AsyncDisposableStack();
  stack.defer(() => void (globalThis.fetch = fetch));
  const reached: string[] = [];
  globalThis.fetch = (input, init) => {
    const { hostname } = new URL(input instanceof Request ? input.url : input);
    if (!hostname.endsWith("amazonaws.com")) return fetch(input, init);
    reached.push(hostname);
    return Promise.resolve(new Response("{}"));
  };
  let environment: Readonly<Record<string, string>> = {};
  await using _platform = await startPlatform(app.manifest, {
    host(application) {
      environment = application.functions.evil!.environment;
      return Promise.resolve(new TestHost(() => "{}"));
    },
  });
  const { SSMClient, GetParameterCommand } = await import("npm:@aws-sdk/client-ssm@^3.1000.0");
  const call = async (path: string) => {
    const client = new SSMClient({
      endpoint: environment.AWS_ENDPOINT_URL + path,
      region: "us-east-1",
      maxAttempts: 1,
      credentials: {
        accessKeyId: environment.AWS_ACCESS_KEY_ID!,
        secretAccessKey: environment.AWS_SECRET_ACCESS_KEY!,
        sessionToken: environment.AWS_SESSION_TOKEN!,
      },
    });
    const sending = client.send(new GetParameterCommand({ Name: "/a" }));
    const text = await sending.then(() => "sent", ({ message }: Error) => message);
    client.destroy();
    return text;
  };
  for (
    const label of ["attacker.execute-api", "attacker.lambda-url", "ssm.attacker", "attacker-ssm"]
      .concat("attacker.s3", "attacker", "email", "%61ttacker.execute-api", "ssm%2f..%2fattacker")
  ) {
    assertMatch(await call(`/.aws/${label}`), /its host begins with "ssm", not with "/, label);
  }
  assertEquals(reached, []);
  assertEquals(await call(""), "sent");
  assertEquals(reached, ["ssm.us-east-1.amazonaws.com"]);
});
