/** The rule about files and programs. */
const FILES = "A function may read its own files and /tmp, write to /tmp, and run no program";

/** What Node.js says if it may load no add-on, and what the loader of napi-rs says in place of it. */
const ADD_ON = /\bloading addons is disabled\b|\b(?:Failed to load|Cannot find) native binding\b/;

/**
 * Returns the rule of the platform that a line of the log is probably about. Anybody may have written the line: a client whose
 * text the function logs, for example. So the rule repeats nothing of the line, and nobody is told to grant something.
 *
 * @param isConfined Whether the function has a root folder of its own, where it may load add-ons.
 */
export function ruleOf(name: string, line: string, isConfined: boolean): string | undefined {
  if (/\bgetaddrinfo \w+ [\w.-]*[a-z][.-]127\.0\.0\.1\b/.test(line)) {
    return "No host of this machine can have the prefix of an operation: " +
      "make the client with { disableHostPrefix: Boolean(process.env.AWS_ENDPOINT_URL) }";
  }
  const [, kind] = /Requires (net|read|write|run) access to "/.exec(line) ?? [];
  if (kind === "net") {
    return `The function "${name}" may connect only to the hosts of "permissions.net" and "uses" in the manifest`;
  }
  if (kind !== undefined) {
    return FILES;
  }
  const [, restricted] =
    /Access to this API has been restricted\. Use --allow-([a-z-]+) to/.exec(line) ?? [];
  if (/^fs-/.test(restricted ?? "")) return FILES;
  if (restricted !== undefined || !isConfined && ADD_ON.test(line)) {
    return `The function "${name}" may start no program or worker and load no add-on without a mount namespace`;
  }
  if (
    /^Runtime\.OutOfMemory$|^# Fatal JavaScript out of memory|^FATAL ERROR: .*\bout of memory/.test(
      line,
    )
  ) {
    return `The function "${name}" may keep only the "memory" that the manifest gives it`;
  }
  if (/no such file or directory.*'(?:\/var\/task\/)?[^'/][^']*'/i.test(line)) {
    return 'A bundle has only files that the code imports, such as a text with { type: "text" }';
  }
}
