import type { Application } from "../application/types.ts";
import {
  describeApi,
  type DescribedApi,
  makeOwnFiles,
  type OwnFiles,
} from "../bundle/api/describe_api.ts";
import type { Log } from "../lambda/log.ts";
import { Kept } from "../programs/kept.ts";

/** The OpenAPI document of a running application. It is made when it is first needed. */
export class ApiDocument implements AsyncDisposable {
  readonly #manifestPath: string;
  readonly #origin: string;
  readonly #log: Log;
  readonly #end = new AbortController();
  #ownFiles: Promise<OwnFiles> | undefined;
  /** The version that counts from the next check on. */
  application!: Application;
  #made: Promise<DescribedApi | undefined> | undefined;
  /** What the log has of the last check. */
  #noted = "";

  /** @param origin The origin of the application. */
  constructor(manifestPath: string, origin: string, log: Log) {
    this.#manifestPath = manifestPath;
    this.#origin = origin;
    this.#log = log;
  }

  /** Returns the document; `undefined` if the manifest names no description. Rejects if the API cannot be described. */
  async read(): Promise<DescribedApi["document"] | undefined> {
    this.#made ??= this.#describe();
    return (await this.#made)?.document;
  }

  /** Makes the document again, and tells the log what is wrong if it is not what was wrong before. */
  check(): void {
    const former = this.#made?.catch(() => {}); // One after the other, so that the end waits for all.
    const made = this.#made = (former ?? Promise.resolve()).then(() => this.#describe());
    const note = (text: string) => {
      if (made !== this.#made || this.#end.signal.aborted || text === this.#noted) return;
      this.#noted = text;
      if (text !== "") this.#log.note(text);
    };
    void made.then(
      (described) => note(described?.warnings.map((text) => `Warning: ${text}`).join("\n") ?? ""),
      ({ message }: Error) => note(`ERROR ${message}`),
    );
  }

  #describe(): Promise<DescribedApi | undefined> {
    const { signal } = this.#end;
    const kept = new Kept((text) => this.#log.note(text));
    return describeApi({
      manifestPath: this.#manifestPath,
      application: this.application,
      url: this.#origin + (this.application.gateway?.prefix ?? ""),
      ownFiles: () => this.#ownFiles ??= makeOwnFiles({ kept, signal }),
      kept,
      signal,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await this.#made?.catch(() => {}); // Who reads the document gets the error.
  }
}
