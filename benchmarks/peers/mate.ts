import {
  buildHttpClientErrorResponse,
  buildHttpResponse,
  FnProxyEvent,
  HttpClientError,
  HttpNotFoundError,
  proxyHandler,
} from "../../gateway/mod.ts";
import { ARCHIVE, MENU, NO_SUCH_DISH } from "../workloads/_menu.ts";
import type { Service } from "./service.ts";

function dish(event: FnProxyEvent): object {
  const { day } = event.queryStringParameters();
  const name = event.queryPath().at(-1) ?? "";
  if (!Object.hasOwn(MENU, name)) throw new HttpNotFoundError(NO_SUCH_DISH);
  return { ...MENU[name], day };
}

/** This library: its handler pattern, but for the error that is not logged, since the peers log none. */
export const mate: Service = {
  name: "@mate/core",
  dish: proxyHandler(dish) as Service["dish"],
  order: proxyHandler((event) => event.queryPayload()) as Service["order"],
  archive: proxyHandler(() => ARCHIVE) as Service["archive"],
  // deno-lint-ignore require-await -- a handler is async
  missing: async (eventObject) => {
    const event = new FnProxyEvent(eventObject);
    try {
      return buildHttpResponse(200, dish(event), { event });
    } catch (error) {
      if (!(error instanceof HttpClientError)) throw error;
      return buildHttpClientErrorResponse(error, { event, log: false });
    }
  },
};
