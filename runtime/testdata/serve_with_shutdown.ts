import { serve } from "../mod.ts";

serve((name: string) => `Hello ${name}`, {
  async onShutdown() {
    await Promise.resolve();
    console.log("bye");
    throw new Error("and a fault on the way out");
  },
});
