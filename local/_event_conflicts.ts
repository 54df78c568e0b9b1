/** What is read of a function. */
interface ListeningFunction {
  readonly triggers: {
    readonly bucket?: { readonly name: string; readonly events: readonly string[] } | undefined;
  };
}

/** A type of event that a bucket sends to another function already. */
export interface EventConflict {
  /** Where it stands, from the functions on. */
  readonly path: readonly (string | number)[];
  /** What it must be instead. */
  readonly message: string;
}

/**
 * Finds types of events that two functions want of one bucket, which sends an event to one function alone.
 *
 * @param functions The functions, by name.
 * @returns The conflicts.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-how-to-filtering.html
 */
export function* findEventConflicts(
  functions: Readonly<Record<string, ListeningFunction>>,
): Generator<EventConflict> {
  const taken: { readonly bucket: string; readonly event: string; readonly owner: string }[] = [];
  for (const [owner, { triggers: { bucket } }] of Object.entries(functions)) {
    for (const [index, event] of (bucket?.events ?? []).entries()) {
      const other = taken.find((one) =>
        one.bucket === bucket!.name && one.owner !== owner && overlap(one.event, event)
      );
      if (other !== undefined) {
        yield {
          path: [owner, "triggers", "bucket", "events", index],
          message: `must be another type than ${other.event}, which "${other.owner}" has of the ` +
            "bucket: it sends an event to one function",
        };
      }
      taken.push({ bucket: bucket!.name, event, owner });
    }
  }
}

/** Whether an event can be of both types. */
function overlap(a: string, b: string): boolean {
  const includes = (all: string, one: string) =>
    all.endsWith("*") && one.startsWith(all.slice(0, -1));
  return a === b || includes(a, b) || includes(b, a);
}
