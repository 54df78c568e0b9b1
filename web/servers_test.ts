import { assert, assertEquals } from "@std/assert";
import { until, within } from "../testdata/waiting.ts";
import { commands, END, start } from "./testdata/servers.ts";

/** A connection that sends texts, and collects what comes. */
class Wire {
  text = "";
  hasEnded = false;
  #connection: Deno.Conn;

  constructor(connection: Deno.Conn) {
    this.#connection = connection;
    this.#read();
  }

  static async open(port: number): Promise<Wire> {
    return new Wire(await Deno.connect({ hostname: "127.0.0.1", port }));
  }

  async send(text: string): Promise<void> {
    // One byte for each character, as HTTP has it.
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    for (let at = 0; at < bytes.length;) at += await this.#connection.write(bytes.subarray(at));
  }

  async ended(): Promise<string> {
    await until("the end of the connection", () => this.hasEnded, () => this.text);
    return this.text;
  }

  close(): void {
    try {
      this.#connection.close();
    } catch {
      // the other end was faster
    }
  }

  async #read(): Promise<void> {
    const buffer = new Uint8Array(65_536);
    try {
      for (let count; (count = await this.#connection.read(buffer)) !== null;) {
        this.text += new TextDecoder("latin1").decode(buffer.subarray(0, count));
      }
    } catch {
      // closed or reset
    }
    this.hasEnded = true;
    this.close();
  }
}

/** Sends a text, and waits until the server closes the connection. */
async function exchange(port: number, text: string): Promise<string> {
  const wire = await Wire.open(port);
  await wire.send(text);
  return await wire.ended();
}

const statuses = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => +code!);

for (const name of commands.keys()) {
  Deno.test(`${name}: listen() answers what fetch() hides`, async (test) => {
    await using server = (await start(name)).running;
    const port = Number((await server.find(/ADDRESS \S+ (\d+)/))[1]);

    await test.step("code outside of the first request has no id", async () => {
      await exchange(port, `GET /outside HTTP/1.1\r\n${END}`);
      await server.find(/^\S+\t\tINFO\toutside$/m);
    });

    await test.step("the target and the fields are those of the request", async () => {
      const text = await exchange(
        port,
        `GET /raw/a%2Fb//d?x=%20&y HTTP/1.1\r\nX-One: 1\r\nx-one: 2\r\n${END}`,
      );
      assert(text.includes('{"path":["raw","a%2Fb","","d"],"query":{"x":" ","y":""}}'), text);
      const facts = await exchange(port, `GET /facts HTTP/1.1\r\nX-One: 1\r\nx-one: 2\r\n${END}`);
      const { ip, id, contextId, headers } = JSON.parse(facts.split("\r\n\r\n")[1]!);
      assertEquals([ip, id, headers["x-one"]], ["127.0.0.1", contextId, "1, 2"]);
    });

    // Bun puts the field into the URL, and does not answer pipelined requests.
    const ignore = name.startsWith("bun");
    await test.step({
      ignore,
      name: "a target that is a whole URL wins over Host",
      fn: async () => {
        const text = await exchange(port, `GET http://other.example/facts HTTP/1.1\r\n${END}`);
        assert(text.includes('"host":"other.example","domain":"other.example"'), text);
      },
    });

    await test.step({
      ignore,
      name: "pipelined requests are answered in their order",
      fn: async () => {
        const first = "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n";
        const text = await exchange(port, `${first}GET /raw/second HTTP/1.1\r\n${END}`);
        assertEquals(statuses(text), [200, 200]);
        assert(text.indexOf("slow") < text.indexOf("second"), text);
      },
    });

    await test.step("HEAD has the length of GET, and no content", async () => {
      const text = await exchange(port, `HEAD /raw/x HTTP/1.1\r\n${END}`);
      const length = JSON.stringify({ path: ["raw", "x"], query: {} }).length;
      assert(new RegExp(`^content-length: ${length}\r$`, "im").test(text), text);
      assert(text.endsWith("\r\n\r\n"), text);
    });

    await test.step("malformed requests are 400, and never two requests", async () => {
      const malformed = [
        // Deno takes its own address if there is no Host.
        ...name === "Deno" ? [] : [`GET /facts HTTP/1.1\r\nConnection: close\r\n\r\n`],
        `GET /facts HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n`,
        `GET /facts HTTP/1.1\r\nHost: a/b\r\nConnection: close\r\n\r\n`,
        `POST /echo HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n${END}ab`,
      ];
      for (const request of malformed) {
        const text = await exchange(port, request);
        assertEquals(statuses(text), [400], JSON.stringify([request, text]));
      }
    });

    await test.step("values beyond ASCII are UTF-8, and each cookie is a field", async () => {
      const text = await exchange(port, `GET /fields HTTP/1.1\r\n${END}`);
      assert(/^x-name: Zo\xc3\xab\r$/im.test(text), text);
      assertEquals([...text.matchAll(/^set-cookie: (.*)\r$/gim)].map(([, value]) => value), [
        "a=1",
        "b=2",
      ]);
      const none = await exchange(port, `GET /none HTTP/1.1\r\n${END}`);
      assertEquals(statuses(none), [204]);
      assert(!/^(content-length|transfer-encoding):/im.test(none), none);
    });

    await test.step("a body is whole, too long, broken off, or has no end", async () => {
      const whole = await exchange(
        port,
        `POST /echo HTTP/1.1\r\nContent-Length: 5\r\n${END}tea\0\xff`,
      );
      assert(whole.endsWith("tea\0\xff"), whole);
      const chunked = `Transfer-Encoding: chunked\r\n${END}3\r\ntea\r\n0\r\n\r\n`;
      assert((await exchange(port, `POST /echo HTTP/1.1\r\n${chunked}`)).endsWith("tea"));
      const slow = "Expect: 100-continue\r\nContent-Length: 3\r\n";
      const wire = await Wire.open(port);
      await wire.send(`POST /echo HTTP/1.1\r\n${slow}${END}`);
      await until("100 Continue", () => wire.text.startsWith("HTTP/1.1 100"), () => wire.text);
      await wire.send("tea");
      assertEquals(statuses(await wire.ended()), [100, 200]);

      for (const [path, status] of [["/echo", 413], ["/unread", 200]] as const) {
        const long = `POST ${path} HTTP/1.1\r\nContent-Length: 100000\r\n${END}${
          "x".repeat(100_000)
        }`;
        assertEquals(statuses(await exchange(port, long)), [status]);
      }
      const half = await Wire.open(port);
      await half.send(`POST /echo HTTP/1.1\r\nContent-Length: 500\r\n${END}half`);
      half.close();
      const endless = await Wire.open(port);
      await endless.send(`POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n${END}`);
      for (let count = 0; count < 40 && !endless.hasEnded; count++) {
        await endless.send(`3e8\r\n${"x".repeat(1_000)}\r\n`).catch(() => {});
      }
      await until("413", () => statuses(endless.text)[0] === 413, () => endless.text);
      endless.close();
      assertEquals(statuses(await exchange(port, `GET /facts HTTP/1.1\r\n${END}`)), [200]);
    });

    await test.step("a stream arrives while it is made", async () => {
      const wire = await Wire.open(port);
      await wire.send(`GET /lines HTTP/1.1\r\n${END}`);
      await until("the first line", () => wire.text.includes("0\n"), () => wire.text);
      assert(!wire.text.includes("2\n"), wire.text);
      assert((await wire.ended()).includes("2\n"));
    });

    await test.step("a stream that fails is broken off, with one FATAL record", async () => {
      const text = await exchange(port, `GET /broken HTTP/1.1\r\n${END}`);
      assert(text.includes("first") && !text.endsWith("0\r\n\r\n"), text);
      await server.find(/\tFATAL\tINTERNAL ERROR: Broken on the way/);
      assertEquals(server.output.match(/FATAL/g)?.length, 1);
    });

    await test.step("a client that goes stops the source, also one that does not read", async () => {
      const wires = [];
      for (const path of ["/waiting", "/endless"]) {
        const wire = await Deno.connect({ hostname: "127.0.0.1", port });
        await wire.write(new TextEncoder().encode(`GET ${path} HTTP/1.1\r\n${END}`));
        await wire.read(new Uint8Array(10));
        wires.push(wire);
      }
      for (const wire of wires) wire.close();
      await until("the end of both sources", async () => {
        const text = await exchange(port, `GET /stopped HTTP/1.1\r\n${END}`);
        return text.includes('{"stopped":2}');
      });
    });
  });

  Deno.test(`${name}: listen() ends at SIGTERM after the requests under way`, async () => {
    const { running, port } = await start(name);
    await using server = running;
    const slow = exchange(port, `GET /slow HTTP/1.1\r\n${END}`);
    const facts = await exchange(port, `GET /facts HTTP/1.1\r\n${END}`); // the slow one was sent before
    assertEquals(statuses(facts), [200]);
    server.kill("SIGTERM");
    server.kill("SIGTERM");
    assertEquals(statuses(await slow), [200]);
    assertEquals(await within("the end of the process", server.status()), 0);
    assertEquals(server.output.match(/SHUTDOWN/g)?.length, 1);
  });

  Deno.test(`${name}: requests under way have only the grace`, async () => {
    const { running, port } = await start(name, { GRACE: "0" });
    await using server = running;
    const wire = await Wire.open(port);
    await wire.send(`GET /waiting HTTP/1.1\r\n${END}`);
    await until("the response", () => wire.text !== "");
    server.kill("SIGTERM");
    await wire.ended();
    assertEquals(await within("the end of the process", server.status()), 0);
  });

  for (
    const [path, message] of [["reject", "Nobody handles this"], ["throw", "Nobody catches this"]]
  ) {
    Deno.test(`${name}: an error that nobody catches ends the process, with one record (${path})`, async () => {
      const { running, port } = await start(name);
      await using server = running;
      await exchange(port, `GET /${path} HTTP/1.1\r\n${END}`);
      assertEquals(await within("the end of the process", server.status()), 1);
      assertEquals(server.output.match(/FATAL/g)?.length, 1);
      assert(server.output.includes(`INTERNAL ERROR: ${message}.`), server.output);
      assert(server.output.includes("SHUTDOWN"), server.output);
    });
  }

  Deno.test(`${name}: in AWS Lambda, listen() logs JSON with the id of the platform`, async () => {
    const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
    const { port } = listener.addr as Deno.NetAddr;
    listener.close();
    const { running } = await start(name, { AWS_LAMBDA_HTTP_ENDPOINT: `127.0.0.1:${port}` });
    await using server = running;
    await server.find(new RegExp(`ADDRESS 127.0.0.1 ${port}`));
    const fields = "lambda-web-request-id: id-1\r\nX-Forwarded-For: 192.0.2.7\r\n";
    const text = await exchange(port, `GET /facts HTTP/1.1\r\n${fields}${END}`);
    assert(text.includes('"ip":"192.0.2.7","id":"id-1","contextId":"id-1"'), text);
    const [record] = await server.find(/^\{.*"facts".*\}$/m);
    assertEquals(JSON.parse(record).requestId, "id-1");
  });
}
