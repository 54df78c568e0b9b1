/** What most measurements call: gives back the event. */
export async function handler(event: unknown): Promise<unknown> {
  if ((event as { fail?: boolean }).fail) throw new RangeError("As asked for");
  if ((event as { stream?: boolean }).stream) return chunks();
  return await Promise.resolve(event);
}

async function* chunks(): AsyncGenerator<string> {
  for (let i = 0; i < 5; i++) yield await Promise.resolve(`${i}\n`);
}
