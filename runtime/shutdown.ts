import { logger } from "../logger/mod.ts";
import { parseAddress } from "./address.ts";
import { Connection } from "./connection.ts";
import type { Host } from "./host.ts";
import { RuntimeApiError } from "./runtime_api_error.ts";

const ROOT = "/2020-01-01/extension";
const ENCODER = new TextEncoder();

/**
 * Has the platform announce its shutdown by SIGTERM: it does so for functions with an extension only, and one
 * without events will do.
 *
 * @param host The host of this process.
 * @param api The host and port of the Runtime API, where the Extensions API is too.
 * @param onShutdown Called before the process ends.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/runtimes-extensions-api.html
 */
export async function watchShutdown(
  host: Host,
  api: string,
  onShutdown: () => void | Promise<void>,
): Promise<void> {
  let isShuttingDown = false;
  host.onTerminate(async () => {
    if (isShuttingDown) return;
    isShuttingDown = true;
    try {
      await onShutdown();
    } catch (error) {
      logger.error("The shutdown failed", error);
    }
    host.exit(0);
  });
  const address = parseAddress(api);
  const connection = new Connection(address, host);
  try {
    const id = await register(connection, address.authority);
    // It has to ask for its next event to be counted as started; none ever comes.
    connection.unref();
    connection.exchange(ENCODER.encode(
      `GET ${ROOT}/event/next HTTP/1.1\r\nHost: ${address.authority}\r\n` +
        `Lambda-Extension-Identifier: ${id}\r\n\r\n`,
    )).catch((error) => logger.warn("Shutdowns are no longer announced", error));
  } catch (error) {
    logger.warn("Cannot have shutdowns announced", error);
    connection.end();
  }
}

/** Registers the extension; its identifier. */
async function register(connection: Connection, authority: string): Promise<string> {
  const body = '{"events":[]}';
  const { head: { status, fields } } = await connection.exchange(ENCODER.encode(
    `POST ${ROOT}/register HTTP/1.1\r\nHost: ${authority}\r\n` +
      "Lambda-Extension-Name: mate-core-shutdown\r\nContent-Type: application/json\r\n" +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
  ));
  const id = fields.get("lambda-extension-identifier");
  if (status === 200 && id !== undefined) return id;
  throw new RuntimeApiError(
    `Cannot register the extension: the Extensions API answered ${status}`,
    { status },
  );
}
