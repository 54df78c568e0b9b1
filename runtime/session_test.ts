import { assertEquals } from "@std/assert";
import { loggerState } from "../logger/state.ts";
import { currentHost } from "./host.ts";
import { Session } from "./session.ts";

Deno.test("the end of a session waits 2 seconds for the reports, and no longer", async () => {
  // A Runtime API that takes the report and never answers.
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { promise: reported, resolve: report } = Promise.withResolvers<void>();
  const serving = (async () => {
    const connection = await listener.accept();
    await connection.read(new Uint8Array(65_536));
    report();
    return connection;
  })();
  const state = loggerState();
  const { write } = state;
  state.write = () => {}; // the report fails when the test closes the connection
  const { setTimeout } = globalThis;
  const timers: { end: () => void; milliseconds: number | undefined }[] = [];
  globalThis.setTimeout = ((end: () => void, milliseconds?: number) => {
    timers.push({ end, milliseconds });
  }) as typeof setTimeout;
  const session = new Session(currentHost(), `127.0.0.1:${listener.addr.port}`);
  let isEnded = false;
  try {
    const ended = session.end(new Error("broken")).then(() => isEnded = true);
    await reported;
    assertEquals([isEnded, timers.map(({ milliseconds }) => milliseconds)], [false, [2_000]]);
    timers[0]!.end();
    await ended;
  } finally {
    globalThis.setTimeout = setTimeout;
    Object.assign(state, { write });
    session.client.connection.end();
    (await serving).close();
  }
});
