import { startProgram } from "../../testdata/programs.ts";
import { within } from "../../testdata/waiting.ts";

/** Starts the arguments at each line of the input. Kills what it has started before, and at the end. */
const SUPERVISE = `pid=; stop() { [ -z "$pid" ] || { kill -9 "$pid"; wait "$pid"; } 2>/dev/null; }
while read -r _; do stop; "$@" </dev/null & pid=$!; done; stop`;

const MOUNT = 'mount -t tmpfs -o "size=$1" mate "$2" && shift 2 &&';

/** A platform in a process of its own, which a test kills. Its data is on a disk of its own, which can be full. */
export class MortalPlatform implements AsyncDisposable {
  /** What the platform has logged. */
  readonly log: string[] = [];
  readonly #folder: string;
  readonly #process: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #urls: ReadableStreamDefaultReader<string>;

  private constructor(folder: string, command: readonly string[], readonly hasDisk: boolean) {
    this.#folder = folder;
    const [program, ...args] = command as [string, ...string[]];
    this.#process = startProgram(program, {
      args,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    });
    this.#input = this.#process.stdin.getWriter();
    const lines = (stream: ReadableStream<Uint8Array<ArrayBuffer>>) =>
      stream.pipeThrough(new TextDecoderStream());
    this.#urls = lines(this.#process.stdout).getReader();
    const log = new WritableStream<string>({ write: (text) => void this.log.push(text) });
    void lines(this.#process.stderr).pipeTo(log);
  }

  /** Makes the disk, of some KiB. Says loudly if this system does not allow it. */
  static async create(size: number): Promise<MortalPlatform> {
    const folder = await Deno.makeTempDir();
    const platform = new URL("platform.ts", import.meta.url).pathname;
    const program = [Deno.execPath(), "run", "-A", "--no-check", "--no-lock", platform, folder];
    const mounted = ["-rm", "sh", "-c"];
    const disk = [`${size}k`, folder];
    const { success } = await new Deno.Command("unshare", {
      args: [...mounted, `${MOUNT} true`, "sh", ...disk],
      stderr: "null",
    }).output().catch(() => ({ success: false }));
    if (success) {
      const script = `${MOUNT} { ${SUPERVISE}; }`;
      return new this(folder, ["unshare", ...mounted, script, "sh", ...disk, ...program], true);
    }
    console.error("NOT TESTED: a full disk, because this system lets no user mount a folder");
    return new this(folder, ["sh", "-c", SUPERVISE, "sh", ...program], false);
  }

  /** Kills the platform, if it runs, and starts it. Returns the URL of its services. */
  async restart(): Promise<string> {
    await this.#input.write(new TextEncoder().encode("start\n"));
    const { value = "" } = await within(
      "the start of a platform",
      this.#urls.read(),
      () => this.log.join(""),
    );
    return value.trim();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#input.close();
    await this.#process.status;
    await Deno.remove(this.#folder, { recursive: true });
  }
}
