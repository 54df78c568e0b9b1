import { serve } from "../mod.ts";

switch (Deno.env.get("FAULT")) {
  case "no function":
    serve("text" as never);
    break;
  case "callback":
    serve(((_event: unknown, _context: unknown, callback: () => void) => callback()) as never);
    break;
  case "rejection":
    Promise.reject(new RangeError("nobody handles this"));
    serve(() => 1);
    break;
  case "never":
    serve(() => new Promise(() => {}), { onShutdown() {} });
    break;
  case "slow shutdown":
    serve(() => 1, {
      async onShutdown() {
        console.log("bye");
        await new Promise((resolve) => setTimeout(resolve, 400));
      },
    });
    break;
  default:
    serve(() => 1);
}
