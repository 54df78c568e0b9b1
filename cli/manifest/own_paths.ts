/** The first elements of paths that are the local platform's own: no stage can have such a name. */
export const OWN_PATHS: readonly string[] = [
  "2015-03-31",
  "2021-11-15",
  "assets",
  "buckets",
  "events",
  "favicon.ico",
  "log",
  "queues",
  "schedules",
  "topics",
];
