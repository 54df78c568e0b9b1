import {
  buildHttpClientErrorResponse,
  buildHttpResponse,
  FnProxyEvent,
  HttpClientError,
  HttpNotFoundError,
  proxyHandler,
} from "../../gateway/mod.ts";
import { archive, MENU, NO_SUCH_DISH, type Service } from "./service.ts";

function dish(event: FnProxyEvent): object {
  const { day } = event.queryStringParameters();
  const name = event.queryPath().at(-1) ?? "";
  if (!Object.hasOwn(MENU, name)) throw new HttpNotFoundError(NO_SUCH_DISH);
  return { ...MENU[name], day };
}

export const service: Service = {
  dish: proxyHandler(dish) as Service["dish"],
  order: proxyHandler((event) => event.queryPayload()) as Service["order"],
  archive: proxyHandler(() => archive()) as Service["archive"],
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
