import { assertEquals, assertMatch } from "@std/assert";
import type { Checkout, RunOptions } from "./checkout.ts";
import type { Emulator } from "./emulator.ts";

/** One way to fail: what is wrong, and what the script must say. */
interface Failure {
  readonly args?: readonly string[];
  readonly env?: RunOptions["env"];
  /** The error code that the cloud answers with. */
  readonly refusal?: string;
  readonly says: RegExp;
}

const NO_KEYS = { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined };

const FAILURES: Record<string, Failure> = {
  "no credentials": {
    env: NO_KEYS,
    says:
      /There are no credentials\nSet AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or make a profile/,
  },
  "a profile that is not there": {
    env: { ...NO_KEYS, AWS_PROFILE: "nobody" },
    says:
      /There are no credentials: the profile "nobody" of AWS_PROFILE is not there, or has none\n/,
  },
  "no region": {
    env: { AWS_REGION: undefined },
    says: /No region is chosen\nPass --region, set AWS_REGION/,
  },
  "no region, and a profile that is not there": {
    env: { AWS_REGION: undefined, AWS_PROFILE: "nobody" },
    says: /No region is chosen: the profile "nobody" of AWS_PROFILE is not there, or has none\n/,
  },
  "a region that cannot be": {
    args: ["--yes", "--region", "Ireland"],
    says: /There is no region "Ireland"\nRegions look like eu-west-1/,
  },
  "a region in the environment that cannot be": {
    env: { AWS_REGION: "eu_west_1" },
    says: /There is no such region\nRegions look like eu-west-1\. \(.*"eu_west_1"/,
  },
  "an expired token": {
    refusal: "ExpiredToken",
    says: /The credentials have expired\nRenew them/,
  },
  "unknown keys": {
    refusal: "InvalidClientTokenId",
    says: /The credentials are not known in eu-west-1\nCheck AWS_ACCESS_KEY_ID/,
  },
  "a wrong secret": {
    refusal: "SignatureDoesNotMatch",
    says: /The credentials were refused\nCheck AWS_SECRET_ACCESS_KEY, and this machine's clock/,
  },
  "no network": {
    env: { AWS_ENDPOINT_URL: "http://127.0.0.1:1" },
    says: /The cloud cannot be reached in eu-west-1\nCheck the network, HTTPS_PROXY/,
  },
  "a place for the state that is none": {
    env: { STATE_URL: "https://example.com" },
    says: /STATE_URL is neither "local" nor like s3:\/\/bucket\/path/,
  },
  "a bucket for the state that is not there": {
    env: { STATE_URL: "s3://nowhere/state" },
    says: /The bucket of STATE_URL does not exist/,
  },
  "an option that is none": {
    args: ["--force"],
    says: /There is no option "--force"\nSee deploy\.sh --help/,
  },
  "an option without its value": {
    args: ["--region"],
    says: /The option --region lacks its value/,
  },
  "an option in the place of a value": {
    args: ["--region", "--plan"],
    says: /The option --region lacks its value/,
  },
  "an empty value": {
    args: ["--yes", "--arch="],
    says: /The option --arch lacks its value/,
  },
  "an architecture that is none": {
    args: ["--arch", "arm"],
    says: /There is no architecture "arm"\nChoose --arch x86_64 or --arch arm64/,
  },
  "nobody to ask": {
    args: [],
    says: /Nobody can be asked: the input is no terminal\nPass --yes/,
  },
};

/** Provokes what can stand in the way before anything is deployed. */
export async function failures(
  t: Deno.TestContext,
  checkout: Checkout,
  emulator: Emulator,
): Promise<void> {
  for (const [name, { args, env, refusal, says }] of Object.entries(FAILURES)) {
    await t.step(name, async () => {
      if (refusal) emulator.fault = () => refuse(refusal);
      const { code, output } = await checkout.script("deploy.sh", [...args ?? ["--yes"]], {
        ...(env && { env }),
      });
      emulator.fault = () => undefined;
      assertMatch(output, says);
      assertEquals(code, 1);
    });
  }

  await t.step("a run that is under way", async () => {
    const lock = `${checkout.folder}/examples/.state/lock`;
    await Deno.mkdir(lock, { recursive: true });
    await Deno.writeTextFile(`${lock}/pid`, String(Deno.pid));
    const { code, output } = await checkout.script("deploy.sh", ["--yes"]);
    assertMatch(output, new RegExp(`Another run is under way: process ${Deno.pid}\\nWait`));
    assertEquals(code, 1);
    await Deno.remove(lock, { recursive: true });
  });
}

/** What the token service answers where it refuses. */
function refuse(code: string): Response {
  return new Response(
    `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>No</Message></Error></ErrorResponse>`,
    { status: 403, headers: { "content-type": "text/xml" } },
  );
}
