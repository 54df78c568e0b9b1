import { Hono, type MiddlewareHandler } from "npm:hono@4.13.19";
import { handle } from "npm:hono@4.13.19/aws-lambda";
import { compress } from "npm:hono@4.13.19/compress";
import { cors } from "npm:hono@4.13.19/cors";
import { etag } from "npm:hono@4.13.19/etag";
import { HTTPException } from "npm:hono@4.13.19/http-exception";
import {
  archive,
  type Handler,
  MARKS,
  MENU,
  NO_SUCH_DISH,
  ORIGIN,
  type Service,
  serviceOf,
} from "./service.ts";

const JSON_HEADERS = { "Content-Type": "application/json; charset=utf-8" };

// `c.json()` writes without indentation.
const write = (payload: unknown) => JSON.stringify(payload, null, 2);

/** The application with some middleware. */
function appWith(...use: MiddlewareHandler[]): Hono {
  const app = new Hono();
  app.use(compress({ encoding: "gzip" }), ...use);
  app.get("/menu/:dish", (c) => {
    const name = c.req.param("dish");
    if (!Object.hasOwn(MENU, name)) throw new HTTPException(404, { message: NO_SUCH_DISH });
    return c.body(write({ ...MENU[name], day: c.req.query("day") }), 200, JSON_HEADERS);
  });
  app.post("/orders", async (c) => c.body(write(await c.req.json()), 200, JSON_HEADERS));
  app.get("/archive", (c) => c.body(write(archive()), 200, JSON_HEADERS));
  app.onError((error, c) => {
    if (!(error instanceof HTTPException)) throw error;
    return c.body(write({ Message: error.message }), error.status, JSON_HEADERS);
  });
  return app;
}

/** The application, which `fetchHandler()` runs too. */
export const app: Hono = appWith();

const marks = MARKS.map((name): MiddlewareHandler => async (c, next) => {
  await next();
  c.header(name, "1");
});
const handlerOf = (app: Hono) => handle(app) as unknown as Handler;

const forShop = handlerOf(appWith(cors({ origin: [ORIGIN] })));

export const service: Service = {
  ...serviceOf(handlerOf(app)),
  three: handlerOf(appWith(...marks)),
  cors: forShop,
  orderCors: forShop,
  missingCors: forShop,
  tagged: handlerOf(appWith(cors({ origin: [ORIGIN] }), etag())),
};
