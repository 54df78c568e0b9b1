/**
 * The program that runs in the process of a function for Node.js before AWS's client of the Runtime API.
 *
 * @module
 */
import { START, VARIABLE } from "../isolation/passed_environment.ts";

/** The parts of Node.js that {@linkcode preload} uses, also those that the types of Deno do not have. */
// deno-lint-ignore no-explicit-any -- the client and the loader of Node.js have no types here
type Untyped = any;

/**
 * Sets the variables of the manifest, and gives AWS's client an HTTP client. The client's own is a native library, and refuses
 * the secret in the path of the emulated Runtime API.
 *
 * Like the native library, this one posts an answer before the function goes on. So a process that ends after its answer
 * has answered.
 *
 * In plain folders, the platform sets the permissions of Node.js. Their warnings are hidden, and the function gets nothing by
 * which it could leave them: no signal to another process, no database, no module of its inspector, and no flag of V8 that
 * writes a file. The flags that it gets are those that packages set.
 *
 * While a function is bundled, it starts without a network. Then there is no Runtime API, and a line on the standard error tells
 * whether the function waits for its first invocation, or which error it has and whether it has tried to connect before.
 *
 * This function becomes a text, so it uses nothing of its module.
 *
 * @param variable The variable with those of the manifest.
 * @param startVariable The variable with the word that begins the line.
 */
function preload(
  require: (name: string) => Untyped,
  variable: string,
  startVariable: string,
): void {
  const { isMainThread } = require("node:worker_threads");
  const process = require("node:process");
  const { env } = process;
  const passed = env[variable];
  if (!isMainThread || passed === undefined) return; // A worker and a child process get the flags of this process.
  delete env[variable];
  const start: string | undefined = env[startVariable];
  delete env[startVariable];
  Object.assign(env, JSON.parse(passed));
  // A `--permission` of the user is in NODE_OPTIONS.
  const isPlain: boolean = process.execArgv.includes("--permission");
  const isOfLambda = (flag: string) => /^--(?:expose-gc|max-\w+-space-size)\b/.test(flag);
  process.execArgv = process.execArgv.filter(isOfLambda);

  if (isPlain) {
    const listeners = process.listeners("warning");
    process.removeAllListeners("warning");
    process.on("warning", (warning: Error) => {
      const isOfFlag = /^The flag --allow-|^Permission is an experimental feature/;
      if (isOfFlag.test(warning.message)) return;
      for (const listener of listeners) listener.call(process, warning);
    });

    const refuse = (action: string, allowed = "use only its own process and files"): never => {
      const rule = `without a mount namespace, a function may ${allowed}`;
      throw Object.assign(new Error(`Cannot ${action}: ${rule}`), { code: "ERR_ACCESS_DENIED" });
    };
    const { pid, _kill: kill } = process;
    const methods = {
      _kill: (to: number, signal: number) => {
        const id = to | 0; // Another value could change after this check.
        return id === pid ? kill(id, signal) : refuse(`send a signal to the process ${id}`);
      },
      _debugProcess: () => refuse("debug a process"),
      _debugEnd: () => refuse("debug a process"),
    };
    for (const [name, value] of Object.entries(methods)) {
      Object.defineProperty(process, name, { value, writable: false, configurable: false });
    }
    const os = require("node:os");
    const { setPriority } = os;
    os.setPriority = (...given: [number, number?]) => {
      const id = given.length === 1 ? 0 : given[0] | 0;
      if (id !== 0 && id !== pid) refuse(`change the priority of the process ${id}`);
      return given.length === 1 ? setPriority(given[0]) : setPriority(id, given[1]);
    };
    const { emitWarning } = process;
    process.emitWarning = () => {}; // Node.js warns when its database is loaded.
    const sqlite = require("node:sqlite");
    process.emitWarning = emitWarning;
    for (const [name, value] of Object.entries(sqlite)) {
      if (typeof value !== "function") continue;
      sqlite[name] = function () {
        refuse("open a database");
      };
    }
    const v8 = require("node:v8");
    const { setFlagsFromString } = v8;
    const flags =
      "--expose-gc --no-expose-gc --no-lazy --no-flush-bytecode --trace-gc --notrace-gc " +
      "--max-old-space-size --max-semi-space-size --stack-size --stack-trace-limit";
    const isAllowed: Untyped = { __proto__: null };
    for (const flag of flags.split(" ")) isAllowed[flag] = true;
    // The function may have changed the methods of texts, so this uses none.
    v8.setFlagsFromString = (text: unknown) => {
      let flag = "";
      let given = "";
      for (let at = 0; typeof text === "string" && at <= text.length; at++) {
        const char = text[at];
        if (char === undefined || char <= " ") {
          if (given !== "" && !(flag in isAllowed)) {
            refuse(`set the flag "${given}" of V8`, `set only ${flags}`);
          }
          flag = given = "";
        } else {
          if (char !== "=" && given.length === flag.length) flag += char === "_" ? "-" : char;
          given += char;
        }
      }
      setFlagsFromString(text); // It refuses what is no text.
    };
    v8.setHeapSnapshotNearHeapLimit = () => refuse("write a snapshot of the heap");
    if (process.permission.has("inspector")) {
      for (const module of ["node:inspector/promises", "node:inspector"]) {
        const inspector = require(module);
        for (const name of Object.keys(inspector)) delete inspector[name];
        Object.freeze(inspector);
      }
    }
    require("node:module").syncBuiltinESMExports();
  }

  for (const name of ["stdout", "stderr"]) {
    const { get } = Object.getOwnPropertyDescriptor(process, name)!;
    Object.defineProperty(process, name, {
      get() {
        const stream = get!.call(process);
        stream._handle?.setBlocking?.(true); // Otherwise lines wait in the process while the pipe is full.
        Object.defineProperty(process, name, { value: stream });
        return stream;
      },
    });
  }

  const api: string = env.AWS_LAMBDA_RUNTIME_API;
  const [authority = "", secret] = api.split("/");
  const root = `/${secret}`;
  const [hostname, port] = authority.split(":");
  env.AWS_LAMBDA_RUNTIME_API = authority; // until the client has read it
  const { connect, Socket } = require("node:net");
  let hasConnected = false;
  if (start !== undefined) {
    const { connect } = Socket.prototype;
    Socket.prototype.connect = function (...given: unknown[]) {
      hasConnected = true;
      return connect.apply(this, given);
    };
  }
  const http = require("node:http");
  const { request } = http;
  http.request = (options: Untyped, ...rest: unknown[]) => {
    const isForApi = options?.hostname === hostname && `${options.port}` === port &&
      `${options.path}`.startsWith("/2018-06-01/");
    if (!isForApi) return request(options, ...rest);
    if (start === undefined) return request({ ...options, path: root + options.path }, ...rest);
    const posting = { on: () => posting, end: (error: string) => tell({ error, hasConnected }) };
    return posting;
  };
  const Module = require("node:module");
  const load = Module._load;
  Module._load = (name: string, ...rest: unknown[]) => {
    if (name !== "./rapid-client.node") return load(name, ...rest);
    Module._load = load;
    env.AWS_LAMBDA_RUNTIME_API = api;
    return client;
  };

  const { readSync, writeSync } = require("node:fs");
  const buffer = Buffer.alloc(65_536);
  const clock = new Int32Array(new SharedArrayBuffer(4));
  /** Takes a part of a response. */
  let onPart = (_part: Uint8Array | Error): void => {};
  /** The connection. It is read by events while the process waits for an event, and synchronously afterwards. */
  let socket: Untyped;
  const open = () =>
    new Promise<void>((resolve, reject) => {
      const onread = {
        buffer,
        callback: (size: number, part: Uint8Array) => {
          onPart(Uint8Array.from(part.subarray(0, size)));
          return true;
        },
      };
      socket = connect({ host: hostname, port: Number(port), onread }, resolve);
      socket.on("error", (error: Error) => (reject(error), onPart(error)));
      socket.on("end", () => onPart(new Error("the connection has ended")));
    });
  const headOf = (method: string, path: string, headers: string) =>
    `${method} ${root}/2018-06-01/runtime/invocation/${path} HTTP/1.1\r\nHost: ${authority}\r\n${headers}\r\n`;

  /** Makes a function that takes the parts of a response, and returns the response when it is whole. */
  const makeReader = () => {
    let parts: Uint8Array[] = [];
    let size = 0;
    let least = 0;
    return (part: Uint8Array) => {
      parts.push(part);
      size += part.length;
      if (size < least) return undefined;
      const bytes = Buffer.concat(parts);
      parts = [bytes];
      const end = bytes.indexOf("\r\n\r\n");
      if (end < 0) return undefined;
      const [first = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n");
      const headers: Record<string, string> = {};
      for (const line of lines) {
        const colon = line.indexOf(":");
        headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
      }
      const body = bytes.subarray(end + 4);
      least = end + 4 + Number(headers["content-length"]);
      return size < least ? undefined : { status: Number(first.split(" ")[1]), headers, body };
    };
  };

  /** Runs a system call until it does not have to wait. */
  const attempt = (call: () => number): number => {
    for (;;) {
      try {
        return call();
      } catch (error) {
        if ((error as { code?: string }).code !== "EAGAIN") throw error;
        Atomics.wait(clock, 0, 0, 0.1); // in milliseconds
      }
    }
  };

  const write = (fd: number, text: string) => {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length;) at += attempt(() => writeSync(fd, bytes, at));
  };

  /** Tells how the function has started. The platform ends the process then. */
  const tell = (message: Untyped) => {
    write(2, `\n${start} ${JSON.stringify(message)}\n`);
    setInterval(() => {}, 60_000); // The process must not end before.
    return new Promise<never>(() => {});
  };

  const post = (path: string, body: string, more = "") => {
    const length = Buffer.byteLength(body);
    const fields = `Content-Type: application/json\r\nContent-Length: ${length}\r\n${more}`;
    const { fd } = socket._handle;
    write(fd, headOf("POST", path, fields) + body);
    const read = makeReader();
    for (let size = 1; size > 0;) {
      size = attempt(() => readSync(fd, buffer));
      if (read(Uint8Array.from(buffer.subarray(0, size))) !== undefined) return;
    }
  };

  const client = {
    next: async () => {
      if (start !== undefined) return await tell({});
      if (socket === undefined) await open();
      socket.ref();
      socket.resume();
      const read = makeReader();
      const response = new Promise<NonNullable<ReturnType<typeof read>>>((resolve, reject) => {
        onPart = (part) => {
          if (part instanceof Error) return reject(part);
          const whole = read(part);
          if (whole === undefined) return;
          socket.pause();
          resolve(whole);
        };
      });
      socket.write(headOf("GET", "next", ""));
      const { status, headers, body } = await response;
      if (status !== 200) throw new Error(`Failed to get next invocation, error ${status}`);
      socket.unref();
      const deadline = Number(headers["lambda-runtime-deadline-ms"]);
      return {
        bodyJson: body.toString(),
        headers: { ...headers, "lambda-runtime-deadline-ms": deadline },
      };
    },
    done: (id: string, body: string) => post(`${id}/response`, body),
    error: (id: string, body: string, cause: string) =>
      post(`${id}/error`, body, `Lambda-Runtime-Function-XRay-Error-Cause: ${cause}\r\n`),
  };
}

/** The module that `--require` loads. */
export const PRELOAD: string = `(${preload})(require, "${VARIABLE}", "${START}");\n`;
