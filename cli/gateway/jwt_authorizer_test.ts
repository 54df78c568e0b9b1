// The rules are those of https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-jwt-authorizer.html, and the challenge
// that of http-api-troubleshooting-jwt.html beside it. The tokens are made by another part of the library that verifies them.
import { assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { exportJWK, generateKeyPair, generateSecret, type JWTPayload, SignJWT } from "jose";
import { parseManifest } from "../manifest/manifest.ts";
import { startTestPlatform } from "../testdata/platform.ts";
import { keySetOf } from "./jwt_authorizer.ts";

const KEYS = {
  a: await generateKeyPair("RS256"),
  b: await generateKeyPair("RS256"),
  elliptic: await generateKeyPair("ES256"),
};

/** An issuer of OpenID Connect on this machine. `reads` counts what was asked for. */
function startIssuer() {
  const reads: string[] = [];
  const server: Deno.HttpServer<Deno.NetAddr> = Deno.serve({
    port: 0,
    hostname: "127.0.0.1",
    onListen() {},
  }, async (request) => {
    const { pathname } = new URL(request.url);
    reads.push(pathname);
    if (pathname === "/realm/.well-known/openid-configuration") {
      return Response.json({ issuer, jwks_uri: `http://127.0.0.1:${server.addr.port}/keys` });
    }
    if (pathname !== "/keys") return new Response(null, { status: 404 });
    const keys = await Promise.all(
      Object.entries(KEYS).filter(([kid]) => kid !== "b")
        .map(async ([kid, { publicKey }]) => ({ ...await exportJWK(publicKey), kid })),
    );
    return Response.json({ keys });
  });
  const issuer: string = `http://127.0.0.1:${server.addr.port}/realm`;
  return { issuer, reads, [Symbol.asyncDispose]: () => server.shutdown() };
}

async function start(issuer: string, others: object = {}, gateway = "http") {
  const route = (path: string, settings: object) => ({ method: "GET", path, ...settings });
  const manifest = {
    name: "app",
    stage: "v0",
    gateway,
    authorizers: { users: { issuer, audience: ["shop", "app"], ...others } },
    functions: {
      f: {
        module: "f.ts",
        triggers: {
          routes: [
            route("/a", { authorizer: "users" }),
            route("/b", { authorizer: "users", scopes: ["read", "write"] }),
          ],
        },
      },
    },
  };
  const test = await startTestPlatform(() => '{"statusCode":200}', {
    manifest: parseManifest(JSON.stringify(manifest), "app.json"),
  });
  const host = ["Host", `localhost:${test.platform.port}`] as const;
  return {
    ...test,
    get: (path: string, token?: string, name = "Authorization") =>
      test.send({ path, headers: [host, ...token === undefined ? [] : [[name, token] as const]] }),
  };
}

/** The time in an hour, or at another distance, in seconds since 1970. A busy machine needs a part of the hour. */
const secondsIn = (seconds = 3_600) => Math.floor(Date.now() / 1_000) + seconds;

/** Makes a token with the given claims, of which `undefined` removes one. */
function tokenOf(
  claims: Readonly<Record<string, unknown>>,
  { kid = "a", alg = "RS256", key = KEYS.a.privateKey }: {
    kid?: string | null;
    alg?: string;
    key?: CryptoKey | Uint8Array;
  } = {},
): Promise<string> {
  const payload: JWTPayload = {
    aud: "shop",
    sub: "ada",
    iat: secondsIn(0),
    exp: secondsIn(),
    ...claims,
  };
  return new SignJWT(payload).setProtectedHeader({ alg, ...kid !== null && { kid } }).sign(key);
}

Deno.test("a JWT authorizer allows the tokens that API Gateway allows, and says why it refuses others", async () => {
  await using server = startIssuer();
  await using test = await start(server.issuer);
  const iss = server.issuer;
  const secret = await generateSecret("HS256");
  const plain = (value: object) => btoa(JSON.stringify(value)).replaceAll("=", "");
  const unsigned = `${plain({ alg: "none", kid: "a" })}.${
    plain({ iss, aud: "shop", exp: secondsIn() })
  }.`;
  const audience = "the token does not have a valid audience"; // as in the guide
  const cases = [
    ["a token", await tokenOf({ iss }), undefined],
    ["a token after Bearer", `Bearer ${await tokenOf({ iss })}`, undefined],
    ["one of several audiences", await tokenOf({ iss, aud: ["x", "app"] }), undefined],
    ["client_id without aud", await tokenOf({ iss, aud: undefined, client_id: "shop" }), undefined],
    ["no token", undefined, "Bearer"],
    ["another audience", await tokenOf({ iss, aud: "x" }), audience],
    ["client_id beside another aud", await tokenOf({ iss, aud: "x", client_id: "shop" }), audience],
    ["no audience", await tokenOf({ iss, aud: undefined }), audience],
    ["another issuer", await tokenOf({ iss: `${iss}/` }), "the token does not have a valid issuer"],
    ["no issuer", await tokenOf({}), "the token does not have a valid issuer"],
    ["an end in the past", await tokenOf({ iss, exp: secondsIn(-1) }), "the token has expired"],
    ["no end", await tokenOf({ iss, exp: undefined }), "missing required 'exp' claim"],
    [
      "a begin in the future",
      await tokenOf({ iss, nbf: secondsIn() }),
      "'nbf' claim timestamp check failed",
    ],
    [
      "an issue in the future",
      await tokenOf({ iss, iat: secondsIn() }),
      "the token was issued in the future",
    ],
    ["no kid", await tokenOf({ iss }, { kid: null }), "the token has no 'kid' in its header"],
    [
      "an unknown kid",
      await tokenOf({ iss }, { kid: "c" }),
      "no applicable key found in the JSON Web Key Set",
    ],
    [
      "the key of another",
      await tokenOf({ iss }, { key: KEYS.b.privateKey }),
      "signature verification failed",
    ],
    [
      "an elliptic curve",
      await tokenOf({ iss }, { alg: "ES256", kid: "elliptic", key: KEYS.elliptic.privateKey }),
      "signing method ES256 is invalid",
    ],
    [
      "a shared secret",
      await tokenOf({ iss }, { alg: "HS256", key: secret as CryptoKey }),
      "signing method HS256 is invalid",
    ],
    ["no signature", unsigned, "signing method none is invalid"],
    ["no token at all", "Basic YTpi", "the token is not a JSON Web Token"],
  ] as const;
  for (const [rule, token, reason] of cases) {
    const { status, text, header } = await test.get("/a", token);
    const expected = reason === undefined || reason === "Bearer"
      ? reason
      : `Bearer scope="" error="invalid_token" error_description="${reason}"`;
    assertEquals([status, header("www-authenticate")], [reason ? 401 : 200, expected], rule);
    if (reason) assertEquals(text, '{"message":"Unauthorized"}');
  }
  const [log] = test.log.after(0).filter(({ text }) => text.includes(audience));
  assertStringIncludes(log!.text, 'it has "x", not one of ["shop","app"]');
  const first = server.reads.slice(0, 2);
  assertEquals(first, ["/realm/.well-known/openid-configuration", "/keys"]);
  assertEquals(
    server.reads.filter((path) => path !== "/keys").length,
    1,
    "the configuration is kept",
  );
});

Deno.test("a JWT authorizer wants one of the scopes of the route, and passes on claims as texts", async () => {
  await using server = startIssuer();
  await using test = await start(server.issuer);
  const iss = server.issuer;
  const cases = [
    [{ scope: "read x" }, 200, ["read"]],
    [{ scp: ["write", "read"] }, 200, ["read", "write"]],
    [{ scp: "write" }, 200, ["write"]],
    [{ scope: "reader" }, 403, undefined],
    [{}, 403, undefined],
  ] as const;
  for (const [claims, status, scopes] of cases) {
    const response = await test.get("/b", await tokenOf({ iss, ...claims }));
    assertEquals(response.status, status, JSON.stringify(claims));
    if (status === 200) {
      assertEquals(test.host.calls.at(-1)!.event.requestContext.authorizer.jwt.scopes, scopes);
    } else {
      assertEquals(response.text, '{"message":"Forbidden"}');
      assertMatch(
        response.header("www-authenticate")!,
        /^Bearer scope="read write" error="insufficient_scope" /,
      );
    }
  }
  const [iat, exp] = [secondsIn(0), secondsIn()];
  const others = { n: 1.5, ok: true, "cognito:groups": ["a", "b"], o: { z: 1, y: [2] } };
  await test.get("/a", await tokenOf({ iss, iat, exp, ...others }));
  assertEquals(test.host.calls.at(-1)!.event.requestContext.authorizer, {
    jwt: {
      claims: {
        iss,
        aud: "shop",
        sub: "ada",
        iat: String(iat),
        exp: String(exp),
        n: "1.5",
        ok: "true",
        "cognito:groups": "[a b]",
        o: "map[y:[2] z:1]",
      },
      scopes: null,
    },
  });
});

Deno.test("a JWT authorizer reads the token where the manifest says", async () => {
  await using server = startIssuer();
  const token = await tokenOf({ iss: server.issuer });
  await using query = await start(server.issuer, { identity: "querystring.token" });
  assertEquals((await query.get(`/a?token=${token}`)).status, 200);
  assertEquals((await query.get("/a", token)).status, 401);
  await using header = await start(server.issuer, { identity: "header.X-Token" });
  assertEquals((await header.get("/a", token, "x-token")).status, 200);
});

Deno.test("a JWT authorizer protects a REST API, too", async () => {
  await using server = startIssuer();
  await using test = await start(server.issuer, {}, "rest");
  const iss = server.issuer;
  const { status, text } = await test.get("/v0/a");
  assertEquals([status, text], [401, '{"message":"Unauthorized"}']);
  assertEquals((await test.get("/v0/b", await tokenOf({ iss }))).status, 403);
  assertEquals((await test.get("/v0/b", await tokenOf({ iss, scope: "read" }))).status, 200);
  assertEquals(test.host.calls.at(-1)!.event.requestContext.authorizer.claims.sub, "ada");
});

Deno.test("the log says why a token cannot be checked", async () => {
  const gone = startIssuer();
  await gone[Symbol.asyncDispose]();
  const cases = [
    [gone.issuer, "the keys of the issuer cannot be read from"],
    ["https://${infra.login}", "is known in the account only"],
  ] as const;
  for (const [issuer, reason] of cases) {
    await using test = await start(issuer);
    const { status, header } = await test.get("/a", await tokenOf({ iss: issuer }));
    assertEquals(status, 401);
    assertStringIncludes(
      header("www-authenticate")!,
      "OIDC discovery endpoint communication error",
    );
    const lines = test.log.after(0).map(({ text }) => text);
    assertEquals([lines.length, lines[0]!.includes(reason), lines[0]!.includes("\n")], [
      1,
      true,
      false,
    ], lines[0]);
  }
});

Deno.test("keySetOf() takes keys of this machine from an issuer of this machine only", () => {
  const [far, here] = ["https://login.example", "http://localhost:4000/realm"];
  for (
    const [jwks_uri, issuers] of [
      ["https://keys.example/a", [far, here]],
      ["http://127.0.0.1:1/keys", [here]],
      ["https://localhost/keys", [here]],
      ["http://a.localhost/keys", [here]],
      ["http://[::1]/keys", [here]],
      ["http://keys.example/a", []],
      ["file:///etc/passwd", []],
      ["keys", []],
      [undefined, []],
    ] as const
  ) {
    for (const issuer of [far, here]) {
      if ((issuers as readonly string[]).includes(issuer)) {
        assertEquals(keySetOf({ jwks_uri }, issuer), new URL(jwks_uri!));
      } else {
        const message = `the "jwks_uri" of ${issuer} must be an https URL of another machine`;
        assertThrows(() => keySetOf({ jwks_uri }, issuer), Error, message);
      }
    }
  }
  assertThrows(() => keySetOf("text", far), Error, "not undefined");
});
