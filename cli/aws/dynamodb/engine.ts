import { Agent, type IncomingMessage, request } from "node:http";
import { text as readText } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { ifThere } from "../../programs/downloads.ts";
import { findEngine } from "../../programs/find_engine.ts";
import { findProgram, prepareApart } from "../../programs/find_program.ts";
import { findOwnNetwork, type OwnNetwork, relayArgs } from "./own_network.ts";
import { TableError } from "./table_error.ts";

/** Who sends requests to an engine. */
export abstract class EngineClient {
  /** Sends a request as a client wrote it: the name of an operation such as `GetItem`, and its input as JSON. */
  abstract send(operation: string, body: string): Promise<{ status: number; body: string }>;

  /**
   * Calls an operation.
   *
   * @throws {TableError} If the engine refuses the operation.
   */
  async call<Output>(operation: string, input: object): Promise<Output> {
    const { status, body } = await this.send(operation, JSON.stringify(input));
    const output = JSON.parse(body);
    if (status === 200) return output;
    const type = String(output.__type ?? "").split("#").at(-1)!;
    throw new TableError(type, output.message ?? output.Message ?? type);
  }
}

const TARGETS = ["DescribeStream", "GetShardIterator", "GetRecords", "ListStreams"];

/** Ends the program when the standard input ends, so that it does not outlive a platform that was killed. */
const GUARD =
  'exec 3<&0; "$@" 3<&- & pid=$!; (read -r _ <&3; kill "$pid") 2>/dev/null & wait "$pid"';

/** The longest time from the end of a connection to the end of the process, in milliseconds. */
const GRACE = 1_000;

/** How often a free port is chosen. Another program may take it before the engine does. */
const ATTEMPTS = 5;

/** The port of an engine in a network of its own. */
const OWN_PORT = 8000;

/** How the engine is reached. */
interface Address {
  readonly url: string;
  /** The Unix socket of the relay, and its folder. */
  readonly socketPath?: string;
  readonly folder?: string;
}

/**
 * Dynoxide, the engine that plays Amazon DynamoDB on this machine, in its own process. The engine checks no rights, so only
 * the platform talks to it: on Linux it has a network of its own, which no other program reaches.
 */
export class Engine extends EngineClient implements AsyncDisposable {
  /** Resolves when the process has ended, with the status or the signal. */
  readonly ended: Promise<string>;
  readonly #agent = new Agent({ keepAlive: true });

  private constructor(
    private readonly process: Deno.ChildProcess,
    private readonly address: Address,
  ) {
    super();
    this.ended = process.status.then(async ({ code, signal }) => {
      await closeInput(process); // The guard waits for this end.
      this.#agent.destroy();
      await leave(address);
      return signal ?? `status ${code}`;
    });
  }

  /** The URL of the engine in its network. */
  get url(): string {
    return this.address.url;
  }

  /** Tells whether the process has ended. A process may end a moment after its connections. */
  async isGone(): Promise<boolean> {
    return await Promise.race([this.ended.then(() => true), pause(GRACE, false)]);
  }

  /**
   * Starts the engine.
   *
   * @param file The file for the data. Without a file, the data is in memory.
   * @param program The program; by default {@linkcode findEngine} finds it.
   * @param network The network of the engine. Without one of its own, the engine listens at a random address of this machine.
   * @throws {Error} If this system has no engine, or if the engine does not start.
   */
  static async start(file?: string, program?: string, network?: OwnNetwork): Promise<Engine> {
    program ??= await findEngine();
    const { command } = network ?? await findOwnNetwork();
    let problem = "";
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const hostname = command === undefined ? loopbackAddress() : "127.0.0.1";
      const port = command === undefined ? freePort(hostname) : OWN_PORT;
      const url = `http://${hostname}:${port}/`;
      const options = ["--host", hostname, "--port", String(port)];
      const data = file === undefined ? [] : ["--db-path", file];
      const guarded = ["-c", GUARD, "sh", program, ...options, ...data];
      const { process, address } = command === undefined
        ? { process: await spawn("sh", guarded), address: { url } }
        : await spawnAlone(command, url, port, guarded);
      const output = await readUntilListening(process.stderr);
      if (output === undefined) return new Engine(process, address);
      await end(process);
      await leave(address);
      problem = output.trim();
      if (!problem.includes("already in use")) break;
    }
    throw new Error(`Cannot start the engine of the tables (${program}): ${problem}`);
  }

  override async send(operation: string, body: string) {
    const api = TARGETS.includes(operation) ? "DynamoDBStreams_20120810" : "DynamoDB_20120810";
    const { url, socketPath } = this.address;
    const options = {
      ...socketPath !== undefined && { socketPath },
      agent: this.#agent,
      method: "POST",
      headers: {
        "Content-Type": "application/x-amz-json-1.0",
        "X-Amz-Target": `${api}.${operation}`,
        // The engine only checks that a request has a signature.
        Authorization: `AWS4-HMAC-SHA256 Credential=local/20260101/local/dynamodb/aws4_request, ` +
          `SignedHeaders=host;x-amz-date, Signature=${"0".repeat(64)}`,
        "X-Amz-Date": "20260101T000000Z",
      },
    };
    // The variables for proxies would lead a fetch() elsewhere.
    const response = await new Promise<IncomingMessage>((resolve, reject) =>
      request(url, options, resolve).on("error", reject).end(body)
    );
    return { status: response.statusCode!, body: await readText(response) };
  }

  /** Ends the engine. Its data is kept if it has a file. */
  async [Symbol.asyncDispose](): Promise<void> {
    await end(this.process);
    await this.ended;
  }
}

/**
 * Waits until the engine listens. It prints its address after it has taken the port, and ends if the port is taken.
 *
 * @returns The output, if the engine has ended; otherwise `undefined`.
 */
async function readUntilListening(
  output: ReadableStream<Uint8Array<ArrayBuffer>>,
): Promise<string | undefined> {
  let text = "";
  const reader = output.pipeThrough(new TextDecoderStream()).getReader();
  while (!text.includes("listening on")) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += value;
  }
  void drain(reader); // A full pipe would stop the engine.
}

async function drain(reader: ReadableStreamDefaultReader<string>): Promise<void> {
  while (!(await reader.read()).done);
}

/** Starts a program. Ctrl-C reaches only the platform, which ends the engine in order. */
async function spawn(program: string, args: readonly string[]) {
  const streams = { stdin: "piped", stdout: "null", stderr: "piped" } as const;
  return (await prepareApart(program, { args: [...args], ...streams })).spawn();
}

/** Starts the engine in a network of its own, with a relay at a Unix socket. */
async function spawnAlone(
  [unshare, ...args]: readonly [string, ...string[]],
  url: string,
  port: number,
  guarded: readonly string[],
) {
  const folder = await Deno.makeTempDir({ prefix: "mate-tables-" }); // Only this user may enter it.
  const path = `${folder}/socket`;
  const shell = (await findProgram("sh"))!;
  const relay = relayArgs(path, port, [shell, ...guarded]);
  const process = await spawn(unshare, [...args, Deno.execPath(), ...relay]);
  return { process, address: { url, socketPath: path, folder } };
}

/** Removes the folder of the socket of an engine that has ended. */
async function leave({ folder }: Address): Promise<void> {
  // The relay has removed the folder, unless it was killed.
  if (folder !== undefined) await ifThere(Deno.remove(folder, { recursive: true }));
}

async function closeInput({ stdin }: Deno.ChildProcess): Promise<void> {
  await stdin.close().catch(() => {}); // It is closed already.
}

async function end(process: Deno.ChildProcess): Promise<void> {
  await closeInput(process);
  await process.status;
}

/**
 * Chooses an address of the loopback interface. On Linux, there are sixteen million, so that no web page can guess the address
 * of an engine without a network of its own.
 */
function loopbackAddress(): string {
  if (Deno.build.os !== "linux") return "127.0.0.1";
  const [a, b, c] = crypto.getRandomValues(new Uint8Array(3));
  return `127.${a}.${b}.${1 + c! % 254}`;
}

function freePort(hostname: string): number {
  using listener = Deno.listen({ hostname, port: 0 });
  return listener.addr.port;
}
