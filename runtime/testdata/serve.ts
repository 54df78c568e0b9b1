/** A function for the tests of serve(). The variable `PROGRAM` says how it behaves. */
import { serve } from "../mod.ts";
import { handler as dive } from "./deep.js";

const greet = (name: string) => `Hello ${name}`;

switch (Deno.env.get("PROGRAM")) {
  case "no function":
    serve("text" as never);
    break;
  case "never":
    serve(() => new Promise(() => {}), { onShutdown() {} });
    break;
  case "slow shutdown":
    serve(greet, {
      async onShutdown() {
        for await (const _ of Deno.stdin.readable);
        await Deno.stdout.write(new TextEncoder().encode("bye\n"));
      },
    });
    break;
  case "20 frames":
    Object.assign(Error, { stackTraceLimit: 20 });
    serve(dive);
    break;
  case "failing shutdown":
    serve(greet, { onShutdown: () => Promise.reject(new Error("a fault on the way out")) });
}
