/**
 * Ends programs together with this process, also if this process is killed: on Linux, where a program can find all others.
 *
 * @param mark A variable in the environment of these programs, such as `NAME=value`. This process was started without it.
 */
export function endWithTest(mark: string): void {
  // The shell waits until the other end of the pipe is closed. A session of its own keeps it from the signals to a terminal.
  const script = `cat; while found=$(grep -slxzF -e "$1" /proc/[0-9]*/environ); [ -n "$found" ]; do
    for file in $found; do pid=\${file#/proc/}; kill -KILL "\${pid%/environ}"; done; sleep 0.1; done`;
  const command = new Deno.Command("sh", {
    args: ["-c", script, "sh", mark],
    detached: true,
    stdin: "piped",
    stdout: "null",
    stderr: "null",
  });
  command.spawn().unref();
}
