/**
 * The TCP connections of this Linux, and the programs at their ends, as `/proc` tells them.
 *
 * @see https://docs.kernel.org/networking/proc_net_tcp.html
 * @module
 */
import { USER_ID } from "./root_folder.ts";

/** A program with all its processes, such as the workers of a server. */
export interface Program {
  /** `own` is this process. `hidden` are all programs of one user that show their connections to nobody else. */
  readonly kind: "own" | "function" | "hidden" | "other";
  readonly id: string;
}

/** One end of a connection. */
export interface End {
  readonly address: string;
  readonly port: string;
  /** The address and the port of the other end. */
  readonly other: string;
  readonly uid: number;
  /** There is none if no process holds the end any more. */
  readonly programs: readonly Program[];
}

/** The connections at one moment. */
export class Connections {
  readonly #ends = new Map<string, End>();
  readonly #listening = new Set<string>();
  readonly #byProgram: ReadonlyMap<string, readonly End[]>;

  private constructor(rows: readonly string[], processes: Processes) {
    for (const row of rows) {
      const [, local, remote, state, , , , uid, , inode] = row.trim().split(/\s+/) as string[];
      const [address, port] = placeOf(local!);
      if (state === LISTENING) this.#listening.add(port);
      else {
        const other = placeOf(remote!).join(" ");
        const programs = processes.holdersOf(inode!, Number(uid));
        this.#ends.set(`${address} ${port} ${other}`, {
          ...{ address, port, other, programs },
          uid: Number(uid),
        });
      }
    }
    const pairs = [...this.#ends.values()].flatMap((end) =>
      end.programs.map(({ id }) => [id, end] as const)
    );
    const grouped = Map.groupBy(pairs, ([id]) => id);
    this.#byProgram = new Map([...grouped].map(([id, pairs]) => [id, pairs.map(([, end]) => end)]));
  }

  /** Reads the connections. */
  static read(): Connections {
    const rows = ["tcp", "tcp6"].flatMap((table) =>
      readProc(`self/net/${table}`)?.trim().split("\n").slice(1) ?? []
    );
    return new Connections(rows, new Processes());
  }

  /** Finds an end by its address and port, and those of the other end. */
  find(...[address, port, otherAddress, otherPort]: [string, number, string, number]) {
    return this.#ends.get(`${address} ${port} ${otherAddress} ${otherPort}`);
  }

  /** Lists the ends that a program holds. */
  of(program: Program): readonly End[] {
    return this.#byProgram.get(program.id) ?? [];
  }

  /** Finds the other end; `undefined` if it is on another machine or in another network namespace. */
  otherOf({ address, port, other }: End): End | undefined {
    return this.#ends.get(`${other} ${address} ${port}`);
  }

  /** Whether a program has accepted a connection, or perhaps has. */
  isAccepted(end: End): boolean {
    if (this.#listening.has(end.port)) return true;
    const other = this.otherOf(end);
    return other !== undefined && !this.#listening.has(other.port);
  }
}

/** The state of a socket that listens. */
const LISTENING = "0A";

/** Reads an address, which is written as hexadecimal numbers in the order of the machine's bytes, and a port. */
function placeOf(text: string): [address: string, port: string] {
  const [address, port] = text.split(":") as [string, string];
  const [, ofVersion4] = /^(?:0{16}FFFF0000)?([\dA-F]{8})$/.exec(address) ?? [];
  const name = ofVersion4 !== undefined
    ? Uint8Array.fromHex(ofVersion4).reverse().join(".")
    : address === "00000000000000000000000001000000"
    ? "::1"
    : address;
  return [name, `${Number.parseInt(port, 16)}`];
}

/** The processes that hold sockets. */
class Processes {
  readonly #holders = new Map<string, Map<string, Program>>();
  /** Whether a process that this one has started hides what it holds. */
  #isFunctionHidden = false;

  constructor() {
    const own = Deno.readLinkSync("/proc/self");
    const namespace = linkOf("self/ns/pid");
    const parents = new Map<string, string>();
    const hidden: string[] = [];
    for (const { name: pid } of Deno.readDirSync("/proc")) {
      const stat = /^\d+$/.test(pid) && readProc(`${pid}/stat`);
      if (!stat) continue;
      const [state, parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (state === "Z") continue; // It has ended.
      parents.set(pid, parent!);
      const sockets = socketsOf(pid);
      if (sockets === undefined) hidden.push(pid);
      if (!sockets?.length) continue;
      const program: Program = pid === own
        ? { kind: "own", id: "own" }
        : linkOf(`${pid}/ns/pid`) !== namespace
        ? { kind: "function", id: "function" }
        : { kind: "other", id: `${group} ${linkOf(`${pid}/exe`)}` };
      for (const socket of sockets) {
        const holders = this.#holders.get(socket) ?? new Map<string, Program>();
        this.#holders.set(socket, holders.set(program.id, program));
      }
    }
    const isStarted = (pid = "0"): boolean =>
      pid !== "0" && (pid === own || isStarted(parents.get(pid)));
    this.#isFunctionHidden = hidden.some(isStarted);
  }

  /** Lists the programs that hold a socket of a user. */
  holdersOf(inode: string, uid: number): readonly Program[] {
    if (inode === "0") return []; // Its program has closed it, or has not accepted it yet.
    const known = this.#holders.get(inode);
    if (known !== undefined) return [...known.values()];
    const isFunction = Deno.uid() === 0
      ? uid === USER_ID
      : uid === Deno.uid() && this.#isFunctionHidden;
    return [
      isFunction ? { kind: "function", id: "function" } : { kind: "hidden", id: `user ${uid}` },
    ];
  }
}

/** Lists the inodes of the sockets that a process holds; `undefined` if it does not show them. */
function socketsOf(pid: string): string[] | undefined {
  try {
    return [...Deno.readDirSync(`/proc/${pid}/fd`)].flatMap(({ name }) =>
      /^socket:\[(\d+)\]$/.exec(linkOf(`${pid}/fd/${name}`) ?? "")?.[1] ?? []
    );
  } catch (error) {
    if (error instanceof Deno.errors.PermissionDenied) return undefined;
    if (hasEnded(error)) return [];
    throw error;
  }
}

/** Reads a link; `undefined` if it is gone or not shown. */
function linkOf(path: string): string | undefined {
  try {
    return Deno.readLinkSync(`/proc/${path}`);
  } catch (error) {
    if (error instanceof Deno.errors.PermissionDenied || hasEnded(error)) return undefined;
    throw error;
  }
}

/** Reads a file; `undefined` if its process has ended. */
function readProc(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(`/proc/${path}`);
  } catch (error) {
    if (hasEnded(error)) return undefined;
    throw error;
  }
}

/** Whether the error of a file in `/proc` says that its process has ended. */
function hasEnded(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || /os error 3\b/.test(`${error}`);
}
