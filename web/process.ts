import { logger, logInternalError } from "../logger/mod.ts";

/** The part of `Deno` that is used. The npm package has no types of Deno. */
interface DenoProcess {
  addSignalListener(signal: "SIGTERM", listener: () => void): void;
  removeSignalListener(signal: "SIGTERM", listener: () => void): void;
  exit(status: number): never;
}

/** An event of Deno about an error that nobody caught. */
interface Uncaught {
  readonly reason?: unknown;
  readonly error?: unknown;
  preventDefault(): void;
}

/**
 * Ends the server and then the process at SIGTERM, with status 0, and at an uncaught error or an unhandled rejection, with
 * one record and status 1.
 *
 * @param end Ends the server.
 * @returns Stops watching.
 */
export function watchProcess(
  end: () => Promise<void>,
  onShutdown: (() => void | Promise<void>) | undefined,
): () => void {
  let ending: Promise<void> | undefined;
  const { Deno: deno, process } = globalThis as { Deno?: DenoProcess; process?: NodeJS.Process };

  const shutDown = async (status: number) => {
    await end();
    try {
      await onShutdown?.();
    } catch (error) {
      logger.error("The shutdown failed", error);
    }
    (deno ?? process)!.exit(status);
  };
  const onTerminate = () => void (ending ??= shutDown(0));
  const onUncaught = (error: unknown) => {
    logInternalError(error);
    ending ??= shutDown(1);
  };

  if (deno) {
    const onEvent = (event: Uncaught) => {
      event.preventDefault(); // otherwise the process ends at once
      onUncaught("reason" in event ? event.reason : event.error);
    };
    const listener = onEvent as unknown as EventListener;
    deno.addSignalListener("SIGTERM", onTerminate);
    addEventListener("error", listener);
    addEventListener("unhandledrejection", listener);
    return () => {
      deno.removeSignalListener("SIGTERM", onTerminate);
      removeEventListener("error", listener);
      removeEventListener("unhandledrejection", listener);
    };
  }
  process!.on("SIGTERM", onTerminate);
  process!.on("uncaughtException", onUncaught);
  process!.on("unhandledRejection", onUncaught);
  return () => {
    process!.off("SIGTERM", onTerminate);
    process!.off("uncaughtException", onUncaught);
    process!.off("unhandledRejection", onUncaught);
  };
}
