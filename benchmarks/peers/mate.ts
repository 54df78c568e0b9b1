import {
  cors,
  etag,
  type FnProxyEvent,
  HttpNotFoundError,
  type Middleware,
  proxyHandler,
} from "../../gateway/mod.ts";
import { archive, type Facts, MARKS, MENU, NO_SUCH_DISH, ORIGIN, type Service } from "./service.ts";

function dish(event: FnProxyEvent): object {
  const { day } = event.queryStringParameters();
  const name = event.queryPath().at(-1) ?? "";
  if (!Object.hasOwn(MENU, name)) throw new HttpNotFoundError(NO_SUCH_DISH);
  return { ...MENU[name], day };
}

function facts(event: FnProxyEvent): Facts {
  return {
    address: event.sourceIp().text,
    agent: event.httpUserAgent(),
    day: event.queryStringParameters()["day"],
    domain: event.queryDomainName(),
    method: event.httpMethod(),
    path: event.queryPath(),
    protocol: event.httpProtocol(),
    port: event.httpHeaders()["x-forwarded-port"],
    user: event.authorizerClaims()?.["sub"] as string | undefined,
  };
}

const marks = MARKS.map((name): Middleware => async (_event, _context, next) => {
  (await next()).headers.set(name, "1");
});
const forShop = cors({ origins: [ORIGIN] });

export const service: Service = {
  dish: proxyHandler(dish) as Service["dish"],
  three: proxyHandler(dish, { use: marks }) as Service["dish"],
  cors: proxyHandler(dish, { use: [forShop] }) as Service["dish"],
  tagged: proxyHandler(dish, { use: [forShop, etag()] }) as Service["dish"],
  facts: proxyHandler(facts) as Service["dish"],
  order: proxyHandler((event) => event.queryPayload()) as Service["order"],
  factsCors: proxyHandler(facts, { use: [forShop] }) as Service["dish"],
  orderCors: proxyHandler((event) => event.queryPayload(), { use: [forShop] }) as Service["order"],
  missingCors: proxyHandler(dish, {
    use: [forShop],
    clientErrorLevel: "off",
  }) as Service["dish"],
  archive: proxyHandler(() => archive()) as Service["archive"],
  missing: proxyHandler(dish, { clientErrorLevel: "off" }) as Service["dish"],
};
