import { assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { HIDDEN, Hider } from "./hide.ts";

const X = HIDDEN;

Deno.test("text() hides the values of header fields in every form of text, and nothing else", () => {
  const cases = [
    ["Authorization: Bearer abc\r\nHost: x", `Authorization: ${X}\r\nHost: x`],
    ["set-cookie: a=b; Path=/\nx-api-key:k", `set-cookie: ${X}\nx-api-key:${X}`],
    ['{"Authorization":"a","x":1}', `{"Authorization":"${X}","x":1}`],
    ['{"cookie":["a=b","c=d"],"x":1}', `{"cookie":["${X}"],"x":1}`],
    ['{"cookies":["a=b"],"x":1}', `{"cookies":["${X}"],"x":1}`],
    [
      '{"a":"{\\"cookie\\":\\"b\\\\\\"c\\",\\"d\\":1}"}',
      `{"a":"{\\"cookie\\":\\"${X}\\",\\"d\\":1}"}`,
    ],
    [
      "{ authorization: 'a', 'x-api-key': 'k', z: 1 }",
      `{ authorization: '${X}', 'x-api-key': '${X}', z: 1 }`,
    ],
    ["/b/k?X-Amz-Signature=abc&x=1 y", `/b/k?X-Amz-Signature=${X}&x=1 y`],
    ["/b/k?X-Amz-Security-Token=abc&x=1", `/b/k?X-Amz-Security-Token=${X}&x=1`],
    ['{"authorization":null,"a":"b"}', '{"authorization":null,"a":"b"}'],
    ["x-authorization: a, my authorization", "x-authorization: a, my authorization"],
  ] as const;
  for (const [text, expected] of cases) assertEquals(new Hider().text(text), expected);
});

Deno.test("text() hides the secrets of the application in every form that formsOf() lists", () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 8, maxLength: 40, unit: "grapheme" }),
      fc.string(),
      (secret, other) => {
        fc.pre(secret.isWellFormed() && !other.includes(secret));
        const hider = new Hider();
        hider.setSecrets([secret]);
        const base64 = Buffer.from(other + secret + other).toString("base64");
        const forms = [
          other + secret,
          JSON.stringify({ other, secret }),
          JSON.stringify({ body: JSON.stringify({ secret }) }),
          encodeURIComponent(secret),
          base64,
          Buffer.from(other + secret).toString("base64url"),
        ];
        for (const text of forms) {
          assertEquals(hider.text(text).includes(X), true, text);
          assertEquals(hider.text(text).includes(secret), false);
        }
      },
    ),
  );
});

Deno.test("learn() hides the values of header fields in other places, too", () => {
  const hider = new Hider();
  hider.learn([
    ["Authorization", "Bearer token-of-ada"],
    ["cookie", "session=cookie-of-ada; short=a"],
    ["accept", "text/plain; q=0.5"],
  ]);
  const text = "token-of-ada, cookie-of-ada, a, text/plain; q=0.5";
  assertEquals(hider.text(text), `${X}, ${X}, a, text/plain; q=0.5`);
});

Deno.test("json() hides values by their keys and by what is known, and names them", () => {
  const hider = new Hider();
  hider.setSecrets(["s3cret"]);
  const event = {
    headers: { Cookie: "a=b" },
    multi: { cookie: ["a", "b"] },
    body: "is s3cret",
    n: 1,
  };
  const expected = { headers: { Cookie: X }, multi: { cookie: [X, X] }, body: `is ${X}`, n: 1 };
  assertEquals(hider.json(event), expected);
  assertEquals(hider.json(event, (key) => `<${key}>`), {
    headers: { Cookie: "<Cookie>" },
    multi: { cookie: ["<cookie>", "<cookie>"] },
    body: "is <body>",
    n: 1,
  });
});

Deno.test("text() takes a time that is linear in the length of a hostile text", () => {
  // Each took minutes if a value were read again from each place.
  const texts = ['"authorization":"', "authorization:[", "cookie:\\", 'cookie:["a",', "cookie: '"];
  for (const text of texts) new Hider().text(text.repeat(20_000));
});
