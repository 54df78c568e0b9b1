/** What the measurements call: gives back the event. */
export async function handler(event: unknown): Promise<unknown> {
  return await Promise.resolve(event);
}
