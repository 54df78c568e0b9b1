/** Returns its event. The event can ask for a failure, a stream, or the size of the heap after a garbage collection. */
export async function handler(event: { kind?: string }): Promise<unknown> {
  if (event.kind === "fail") throw new RangeError("As asked for");
  if (event.kind === "stream") return chunks();
  if (event.kind !== "measure") return await Promise.resolve(event);
  (globalThis as unknown as { gc(): void }).gc();
  return { heap: Deno.memoryUsage().heapUsed };
}

async function* chunks(): AsyncGenerator<string> {
  for (let i = 0; i < 5; i++) yield await Promise.resolve(`${i}\n`);
}
