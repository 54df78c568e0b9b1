import { isIPv6 } from "node:net";

const HOST = /^(?:(?:\*\.)?[\w-]+(?:\.[\w-]+)*|\[(?<address>[^\]%]*)\])(?::(?<port>\d{1,5}))?$/;

/**
 * Tells whether Deno accepts a text as a host in `--allow-net`.
 *
 * @param text The text, such as `api.example.com:443`, `*.example.com` or `[::1]:80`. A port is 1 to 65,535.
 */
export function isHost(text: string): boolean {
  const { groups } = HOST.exec(text) ?? {};
  if (groups === undefined) return false;
  const { address, port = "1" } = groups;
  return (address === undefined || isIPv6(address)) && Number(port) >= 1 && Number(port) <= 65_535;
}
