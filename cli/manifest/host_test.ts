import { assertEquals } from "@std/assert";
import { isHost } from "./host.ts";

const HOSTS = [
  "localhost",
  "EXAMPLE.com",
  "api.example.com:443",
  "*.example.com",
  "*.example.com:65535",
  "a_b.example.com:1",
  "127.0.0.1:8080",
  "[::1]",
  "[::ffff:1.2.3.4]:80",
];

const OTHERS = [
  "",
  "*",
  "https://example.com/",
  "example.com:0",
  "example.com:65536",
  "example.com:99999",
  "example.com:",
  "a..b",
  "a,b",
  "::1",
  "[:::]",
  "[1::2:]",
  "[0:0:0:0:0:0:0:00001]",
  "[fe80::1%eth0]",
  "[1.2.3.4]",
  "[::1]:65536",
];

Deno.test("isHost() accepts hosts, and nothing else", () => {
  for (const text of HOSTS) assertEquals(isHost(text), true, text);
  for (const text of OTHERS) assertEquals(isHost(text), false, text);
});

Deno.test("Deno accepts the hosts that isHost() accepts", async () => {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-config", `--allow-net=${HOSTS.join(",")}`, "data:text/javascript,"],
  }).output();
  assertEquals(success, true, new TextDecoder().decode(stderr));
});
