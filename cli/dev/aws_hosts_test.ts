import { assertEquals } from "@std/assert";
import { manifestWith, resolved } from "../testdata/platform.ts";
import { endpointsOf } from "./aws_hosts.ts";

Deno.test("endpointsOf() names hosts by the identifiers that SDKs read", () => {
  const of = (net: readonly string[]) =>
    endpointsOf(
      resolved(manifestWith({ f: { module: "f.ts", permissions: { net } } })).functions.f!,
      "http://h",
    );
  assertEquals(of(["email.${region}.amazonaws.com:443", "api.example.com"]), {
    AWS_ENDPOINT_URL_PINPOINT_EMAIL: "http://h/.aws/email",
    AWS_ENDPOINT_URL_SES: "http://h/.aws/email",
    AWS_ENDPOINT_URL_SESV2: "http://h/.aws/email",
  });
  assertEquals(of(["secretsmanager.eu-west-1.amazonaws.com"]), {
    AWS_ENDPOINT_URL_SECRETS_MANAGER: "http://h/.aws/secretsmanager",
  });
});
