import { assertEquals } from "@std/assert";
import { parseManifest } from "../manifest/manifest.ts";
import { LOCAL } from "../rules/arn.ts";
import { loopsOf } from "./invoking.ts";
import { resolveApplication } from "./resolve.ts";

Deno.test("loopsOf() names each function that may write into what calls it", () => {
  const bucket = { name: "b", events: ["s3:ObjectCreated:*"], prefix: "in/" };
  const arn = "arn:aws:s3:::app-b-${account}-${region}";
  const allow = (Action: string, Resource: string) => [{ Effect: "Allow", Action, Resource }];
  const cases: [triggers: object, rights: object, deed: string | undefined][] = [
    [{ buckets: [bucket] }, { uses: { buckets: { b: "write" } } }, 'write into the bucket "b"'],
    [{ buckets: [bucket] }, { uses: { buckets: { b: "read" } } }, undefined],
    [{ buckets: [bucket] }, { statements: allow("s3:*", `${arn}/out/*`) }, undefined],
    [
      { buckets: [bucket] },
      { statements: allow("s3:*", `${arn}/in/*`) },
      'write into the bucket "b"',
    ],
    [
      { buckets: [bucket] },
      { statements: allow("s3:put*", `${arn}/*`) },
      'write into the bucket "b"',
    ],
    [
      { buckets: [{ ...bucket, events: ["s3:ObjectRemoved:*"] }] },
      { statements: allow("s3:PutObject", `${arn}/*`) },
      undefined,
    ],
    [{ queues: [{ name: "q" }] }, { uses: { queues: { q: "send" } } }, 'send to the queue "q"'],
    [{ queues: [{ name: "q" }] }, {}, undefined],
    [{ queues: [{ name: "q" }] }, { uses: { queues: { other: "send" } } }, undefined],
    [
      { topics: [{ name: "t" }] },
      { uses: { topics: { t: "publish" } } },
      'publish to the topic "t"',
    ],
    [{ tables: [{ name: "o" }] }, { uses: { tables: { o: "write" } } }, 'write into the table "o"'],
    [{ tables: [{ name: "o" }] }, { uses: { tables: { o: "read" } } }, undefined],
    [
      { queues: [{ name: "q" }] },
      { statements: [{ Effect: "Deny", Action: "*", Resource: "*" }] },
      undefined,
    ],
    [
      { queues: [{ name: "q" }] },
      { statements: [{ Effect: "Allow", NotAction: "s3:*", Resource: "*" }] },
      'send to the queue "q"',
    ],
  ];
  for (const [triggers, rights, deed] of cases) {
    const manifest = {
      name: "app",
      stage: "v0",
      functions: { f: { module: "f.ts", triggers, ...rights } },
      queues: { q: {}, other: {} },
      tables: { o: { key: { id: "string" } } },
    };
    const application = resolveApplication(
      parseManifest(JSON.stringify(manifest), "a.json"),
      LOCAL,
    );
    const expected = deed === undefined
      ? []
      : [`The function "f" may ${deed}, which calls "f": this can be an endless loop`];
    assertEquals(loopsOf(application), expected, JSON.stringify({ triggers, rights }));
  }
});
