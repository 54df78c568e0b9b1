import { dirname } from "node:path";
import type { ApplicationHost, FunctionHost } from "../lambda/function_host.ts";
import { readEmulators } from "../manifest/local_values.ts";
import { ApiDocument } from "./api_document.ts";
import type { DataFolder } from "./data_folder.ts";
import { findLogin } from "./forwarding.ts";
import { controlUrlOf, originOf } from "./listener.ts";
import { type OpenOptions, type OpenPlatform, openPlatform } from "./open_platform.ts";
import type { LocalApplication, ResolvedLocally } from "./resolve_locally.ts";
import { Sockets } from "./sockets.ts";
import { Traces } from "./traces/traces.ts";

/** What is the same for all versions of an application. */
type Settings = "log" | "saving" | "keepsItems" | "retryDelays" | "gatewayTimeout" | "time";

interface SessionOptions extends Pick<OpenOptions, Settings> {
  /** The path of the manifest. The file `.env` is beside it. */
  readonly manifestPath: string;
  readonly port: number;
  /** The profile of the AWS tools for services that are not emulated. */
  readonly profile?: string | undefined;
  /** Opens the folder of the data of an application. Returns the former folder if it is the same. */
  readonly openData: (name: string, former?: DataFolder) => Promise<DataFolder>;
}

/** One version of an application, with its data and what the developer has for services that are not emulated. */
export interface Version extends ResolvedLocally, Pick<OpenOptions, "login" | "emulators"> {
  readonly data: DataFolder;
}

/** Runs an application, one version after the other. The ports, the traces and the document of the API outlive a version. */
export class Session implements AsyncDisposable {
  readonly urls: Readonly<Record<"url" | "controlUrl" | "servicesUrl", string>>;
  readonly traces: Traces = new Traces();
  readonly api: ApiDocument;
  /** What ends after the platform, such as the host of the functions. */
  readonly owned: AsyncDisposableStack = new AsyncDisposableStack();
  /** The version that runs now, and its platform. */
  version: Version | undefined;
  platform: OpenPlatform | undefined;

  private constructor(
    private readonly options: SessionOptions,
    readonly sockets: Sockets,
    private data: DataFolder,
  ) {
    const { port, servicesUrl } = sockets;
    const url = originOf("application", port);
    this.urls = { url, controlUrl: controlUrlOf(sockets), servicesUrl };
    this.owned.defer(() => this.data[Symbol.asyncDispose]());
    this.api = this.owned.use(new ApiDocument(options.manifestPath, url, options.log));
  }

  /**
   * Opens the data of an application, and the ports. Requests wait for the first version.
   *
   * @throws {PortTakenError} If another program listens on the port.
   */
  static async open(name: string, options: SessionOptions): Promise<Session> {
    const data = await options.openData(name);
    try {
      const sockets = await Sockets.open(options.port, (text) => options.log.note(text));
      return new Session(options, sockets, data);
    } catch (error) {
      await data[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Reads a version for this machine. The log says what has no value here. */
  async read(local: LocalApplication): Promise<Version> {
    const { manifestPath, profile, log, openData } = this.options;
    const resolved = local.resolve(this.sockets);
    resolved.missing.forEach((line) => log.note(line));
    const folder = dirname(manifestPath);
    const login = await findLogin(folder, profile);
    const emulators = await readEmulators(folder, local.functions);
    return { ...resolved, login, emulators, data: await openData(local.name, this.data) };
  }

  /** Opens the platform of a version, which answers from now on. Its tables may not be ready yet. */
  async start(version: Version, host: FunctionHost): Promise<OpenPlatform> {
    const { options, sockets, api, traces } = this;
    const { application, login, emulators, data } = version;
    this.data = data;
    api.application = application;
    const parts = { application, login, emulators, host, sockets, api, traces, folder: data.path };
    this.platform = await openPlatform({ ...options, ...parts });
    this.version = version;
    return this.platform;
  }

  /**
   * Replaces the version that runs now. If the platform of the next one does not open, the former one goes on.
   *
   * @returns Why the next version does not run, if so.
   * @throws {Error} If no version runs any more.
   */
  async replace(next: Version, host: ApplicationHost): Promise<Error | undefined> {
    const former = this.version!;
    try {
      const problem = await this.#exchange(next, host).catch((error: Error) => error);
      if (problem !== undefined) await this.#exchange(former, host);
      return problem;
    } finally {
      const [unused] = [former, next].filter(({ data }) => data !== this.data);
      await unused?.data[Symbol.asyncDispose]();
    }
  }

  /** The old platform answers until the bundling, which is slow, has ended. */
  async #exchange(version: Version, host: ApplicationHost): Promise<undefined> {
    await host.reload(version.application, async () => {
      this.sockets.pause();
      await this.platform![Symbol.asyncDispose]();
    });
    const { ready } = await this.start(version, host);
    await ready; // If a table cannot be changed, the former version goes on.
  }

  /** Closes the ports, so that no request begins any more. Then ends the platform, whose requests may still need its host. */
  async stop(): Promise<void> {
    await this.sockets[Symbol.asyncDispose]();
    await this.platform?.[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await using _last = this.owned;
    await this.stop();
  }
}
