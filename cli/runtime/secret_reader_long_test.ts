import { assertEquals, assertRejects } from "@std/assert";
import { Sha256 } from "@smithy/core/checksum";
import { SignatureV4 } from "@smithy/signature-v4";
import fc from "fast-check";
import { succeed } from "../../testdata/programs.ts";
import { Emulator } from "../deploy/testdata/emulator.ts";
import { findProgram } from "../programs/find_program.ts";
import { readSecrets, sign } from "./secret_reader.ts";

const KEYS = {
  AWS_REGION: "eu-west-1",
  AWS_DEFAULT_REGION: "eu-west-1", // of version 1 of the AWS CLI
  AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
  AWS_SECRET_ACCESS_KEY: "wJalrXUtnFEMI",
};

Deno.test("sign() makes the signature of the AWS SDK for any body, key, time and path", async () => {
  const text = fc.string({ unit: "binary" });
  const key = fc.string({ minLength: 1 }).filter((one) => one.trim() !== "");
  const property = fc.asyncProperty(
    text,
    key,
    key,
    fc.option(fc.base64String({ minLength: 4 }), { nil: undefined }),
    fc.date({ min: new Date("2000-01-01"), max: new Date("2090-01-01"), noInvalidDate: true }),
    fc.constantFrom("/", "/a b/ü", "/base/"),
    async (body, accessKeyId, secretAccessKey, sessionToken, date, path) => {
      const url = new URL(path, "http://127.0.0.1:4566");
      const token = sessionToken === undefined ? {} : { sessionToken };
      const credentials = { accessKeyId, secretAccessKey, ...token };
      const region = "eu-west-1";
      const fields = { "content-type": "application/x-amz-json-1.1", "x-amz-target": "A.B" };
      const { authorization } = await sign({ url, body, fields, region, credentials, date });
      const signer = new SignatureV4({
        service: "ssm",
        region,
        credentials,
        sha256: Sha256,
        applyChecksum: false,
      });
      const { headers } = await signer.sign({
        method: "POST",
        protocol: "http:",
        hostname: "127.0.0.1",
        port: 4566,
        path: url.pathname,
        query: {},
        headers: { ...fields, host: url.host },
        body,
      }, { signingDate: date });
      assertEquals(authorization, headers.authorization);
    },
  );
  await fc.assert(property, { numRuns: 100 });
});

const tools = await Promise.all(["moto_server", "aws"].map((name) => findProgram(name)));
const hasTools = !tools.includes(undefined);
if (!hasTools) {
  console.error(
    "NOT RUN: readSecrets() without an emulator, because moto_server or aws is missing",
  );
}

Deno.test({
  name: "readSecrets() reads what the AWS CLI has written",
  ignore: !hasTools,
  sanitizeOps: false, // the emulator keeps connections alive
  sanitizeResources: false,
  async fn() {
    await using emulator = await Emulator.start();
    const environment = {
      ...KEYS,
      AWS_ENDPOINT_URL: emulator.url,
      AWS_EC2_METADATA_DISABLED: "true",
    };
    const values = { KEY: "5€ & 'more'\n\"lines\"", OTHER: "x".repeat(4096) };
    for (const [name, value] of Object.entries(values)) {
      const args = ["--name", `/shop/dev/${name}`, "--type", "SecureString", "--value", value];
      await succeed("aws", ["ssm", "put-parameter", ...args], { env: environment });
    }
    const parameters = Object.keys(values).map((name) => `/shop/dev/${name}`);
    const getEnv = (name: string) => (environment as Record<string, string>)[name];
    assertEquals(await readSecrets(parameters, getEnv), values);
    const reading = readSecrets([...parameters, "/shop/prod/KEY"], getEnv);
    await assertRejects(() => reading, Error, "/shop/prod/KEY has no value");
  },
});
