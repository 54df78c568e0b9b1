/** The part of the package `yazl` that is used here; its published types would bring those of Node along. */
export class ZipFile {
  /** What the archive is read from. */
  readonly outputStream: {
    on(event: "data", listener: (chunk: Uint8Array<ArrayBuffer>) => void): ZipFile["outputStream"];
    on(event: "end", listener: () => void): ZipFile["outputStream"];
    on(event: "error", listener: (error: Error) => void): ZipFile["outputStream"];
  };
  /** Adds a file. */
  addBuffer(data: Uint8Array, path: string, options: {
    readonly mtime: Date;
    readonly mode: number;
    readonly compressionLevel: number;
    readonly forceDosTimestamp: boolean;
  }): void;
  /** Ends the archive. */
  end(): void;
  on(event: "error", listener: (error: Error) => void): void;
}
