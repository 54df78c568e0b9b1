import { assertEquals } from "@std/assert";
import { encodeBase64 } from "@std/encoding/base64";
import { hasProgram, run, temporaryFolder } from "../../testdata/programs.ts";
import { FnProxyEvent } from "./proxy_event.ts";

/** Lets a client send a form to a server on the loopback interface. Returns the form as `formData()` reads it. */
async function received(send: (url: string) => Promise<void>): Promise<FormData> {
  const forms: Promise<FormData>[] = [];
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    async (request) => {
      const headers = Object.fromEntries(request.headers);
      const body = encodeBase64(await request.bytes());
      forms.push(new FnProxyEvent({ headers, body, isBase64Encoded: true }).formData());
      return new Response();
    },
  );
  await send(`http://127.0.0.1:${server.addr.port}/`);
  return await forms[0]!;
}

const folder = temporaryFolder();
await Deno.writeTextFile(`${folder}/a b.csv`, "1;2\r\n");

const hasCurl = await hasProgram("curl", "forms as curl sends them");

Deno.test({
  name: "formData() reads the form that curl sends",
  ignore: !hasCurl,
  async fn() {
    const form = await received(async (url) => {
      const fields = [
        'a"b\\c=x y',
        "ü=ß",
        `file=@${folder}/a b.csv;type=text/csv;filename="q\\"é.csv"`,
      ];
      const args = ["-sS", "--noproxy", "*", ...fields.flatMap((field) => ["-F", field]), url];
      const { code, stderr } = await run("curl", args);
      assertEquals([code, stderr], [0, ""]);
    });
    const file = form.get("file") as File;
    assertEquals([...form.keys()], ['a"b\\c', "ü", "file"]);
    assertEquals([form.get('a"b\\c'), form.get("ü")], ["x y", "ß"]);
    assertEquals([file.name, file.type, await file.text()], ['q"é.csv', "text/csv", "1;2\r\n"]);
  },
});

const PYTHON = `
import sys, requests
requests.post(sys.argv[1], data={'a"b': 'x y', 'ü': 'ß'}, files={'file': ('q"é.csv', b'1;2\\r\\n', 'text/csv')})
`;

const hasRequests =
  (await run("python3", ["-c", "import requests"]).catch(() => ({ code: 1 }))).code === 0;
if (!hasRequests) {
  console.warn("NOT RUN: forms as Requests of Python sends them: it is not installed");
}

Deno.test({
  name: "formData() reads the form that Requests of Python sends",
  ignore: !hasRequests,
  async fn() {
    const form = await received(async (url) => {
      const { code, stderr } = await run("python3", ["-c", PYTHON, url], {
        env: { no_proxy: "*" },
      });
      assertEquals([code, stderr], [0, ""]);
    });
    const file = form.get("file") as File;
    assertEquals([form.get('a"b'), form.get("ü")], ["x y", "ß"]);
    assertEquals([file.name, file.type, await file.text()], ['q"é.csv', "text/csv", "1;2\r\n"]);
  },
});
