import { serve } from "../mod.ts";

serve((name: string) => `Hello ${name}`, {
  async onShutdown() {
    await Promise.resolve();
    console.log("bye");
    if (Deno.env.get("FAULT") !== "0") throw new Error("and a fault on the way out");
  },
});
