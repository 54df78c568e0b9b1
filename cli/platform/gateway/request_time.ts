const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** A time in the Common Log Format, such as `09/Apr/2026:12:34:56 +0000`. */
export function requestTime(time: Date): string {
  const [date, clock] = time.toISOString().split("T") as [string, string];
  const [year, month, day] = date.split("-") as [string, string, string];
  return `${day}/${MONTHS[Number(month) - 1]}/${year}:${clock.slice(0, 8)} +0000`;
}
