import { NotFoundError, Router } from "npm:@aws-lambda-powertools/event-handler@2.35.0/http";
import { compress, cors } from "npm:@aws-lambda-powertools/event-handler@2.35.0/http/middleware";
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

// Powertools writes objects without indentation, so the body is a string.
const reply = (statusCode: number, payload: unknown) => ({
  statusCode,
  headers: { "Content-Type": "application/json; charset=utf-8" },
  body: JSON.stringify(payload, null, 2),
});

type Middleware = Parameters<Router["use"]>[0];

/** The service with some middleware. */
function handlerWith(...use: Middleware[]): Handler {
  const app = new Router({ logger: { debug() {}, warn() {}, error() {}, info() {}, trace() {} } });
  for (const middleware of [compress(), ...use]) app.use(middleware);
  app.get("/menu/:dish", ({ event, params }) => {
    const name = params["dish"] ?? "";
    if (!Object.hasOwn(MENU, name)) throw new NotFoundError(NO_SUCH_DISH);
    const { queryStringParameters } = event as { queryStringParameters?: { day?: string } };
    return reply(200, { ...MENU[name], day: queryStringParameters?.day });
  });
  app.post("/orders", async ({ req }) => reply(200, await req.json()));
  app.get("/archive", () => reply(200, archive()));
  app.errorHandler(
    NotFoundError,
    ({ message }) => Promise.resolve(reply(404, { Message: message })),
  );
  return (event, context) => app.resolve(event, context as never);
}

const marks = MARKS.map((name): Middleware => async ({ reqCtx, next }) => {
  await next();
  reqCtx.res.headers.set(name, "1");
});

const forShop = handlerWith(cors({ origin: [ORIGIN] }));

export const service: Service = {
  ...serviceOf(handlerWith()),
  three: handlerWith(...marks),
  cors: forShop,
  orderCors: forShop,
  missingCors: forShop,
};
