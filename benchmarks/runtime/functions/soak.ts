/** What the soak calls: a result, a failure, a stream, or what the heap holds once all garbage is gone. */
export async function handler(event: { kind?: string }): Promise<unknown> {
  switch (event.kind) {
    case "fail":
      throw new RangeError("As asked for");
    case "stream":
      return chunks();
    case "measure":
      (globalThis as unknown as { gc(): void }).gc();
      return { heap: Deno.memoryUsage().heapUsed };
    default:
      return await Promise.resolve(event);
  }
}

async function* chunks(): AsyncGenerator<string> {
  for (let i = 0; i < 5; i++) yield await Promise.resolve(`${i}\n`);
}
