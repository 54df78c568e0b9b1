import { Buffer } from "node:buffer";
import { gzipSync } from "node:zlib";
import middy from "npm:@middy/core@7.9.2";
import httpContentNegotiation from "npm:@middy/http-content-negotiation@7.9.2";
import httpCors from "npm:@middy/http-cors@7.9.2";
import httpErrorHandler from "npm:@middy/http-error-handler@7.9.2";
import httpHeaderNormalizer from "npm:@middy/http-header-normalizer@7.9.2";
import httpJsonBodyParser from "npm:@middy/http-json-body-parser@7.9.2";
import httpResponseSerializer from "npm:@middy/http-response-serializer@7.9.2";
import { createError } from "npm:@middy/util@7.9.2";
import type { HttpEvent } from "../events.ts";
import {
  archive,
  factsOf,
  type Handler,
  MARKS,
  MENU,
  NO_SUCH_DISH,
  ORIGIN,
  type Service,
} from "./service.ts";

interface State {
  readonly context: { readonly preferredEncoding?: string };
  readonly response: {
    body: unknown;
    isBase64Encoded?: boolean;
    readonly headers: Record<string, string>;
  };
}

/** Middy's own compression makes a stream. These lines are faster. */
const gzip = {
  after: ({ context, response }: State) => {
    if (context.preferredEncoding !== "gzip") return;
    response.body = gzipSync(Buffer.from(response.body as string)).toString("base64");
    response.isBase64Encoded = true;
    response.headers["Content-Encoding"] = "gzip";
    response.headers["Vary"] = "Accept-Encoding";
  },
};

/** A handler with the middleware that every service has, and more around it. */
function stack(
  handler: (event: HttpEvent & { body: unknown }) => unknown,
  ...more: middy.MiddlewareObj[]
): Handler {
  const chain = middy()
    .use(more)
    .use(httpHeaderNormalizer())
    .use(httpContentNegotiation({
      parseCharsets: false,
      parseLanguages: false,
      availableEncodings: ["gzip", "identity"],
      availableMediaTypes: ["application/json"],
    }))
    .use(gzip as middy.MiddlewareObj)
    .use(httpResponseSerializer({
      serializers: [{
        regex: /^application\/json$/,
        serializer: ({ body }: { body?: unknown }) => JSON.stringify(body, null, 2),
      }],
      defaultContentType: "application/json",
    }))
    .use(httpErrorHandler({ logger: false }));
  return chain.handler(handler as never) as unknown as Handler;
}

function dish({ path, queryStringParameters }: HttpEvent): unknown {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (!Object.hasOwn(MENU, name)) {
    throw createError(404, JSON.stringify({ Message: NO_SUCH_DISH }, null, 2));
  }
  return { statusCode: 200, body: { ...MENU[name], day: queryStringParameters?.["day"] } };
}

const facts = (event: HttpEvent) => ({ statusCode: 200, body: factsOf(event, event.headers) });

const forShop = httpCors({ origins: [ORIGIN] }) as middy.MiddlewareObj;

const marks = MARKS.map((name) => ({
  after: ({ response }: State) => {
    response.headers[name] = "1";
  },
})) as unknown as middy.MiddlewareObj[];

export const service: Service = {
  dish: stack(dish),
  three: stack(dish, ...marks),
  cors: stack(dish, forShop),
  facts: stack(facts),
  order: stack(
    ({ body }) => ({ statusCode: 200, body }),
    httpJsonBodyParser() as unknown as middy.MiddlewareObj,
  ),
  factsCors: stack(facts, forShop),
  orderCors: stack(
    ({ body }) => ({ statusCode: 200, body }),
    forShop,
    httpJsonBodyParser() as unknown as middy.MiddlewareObj,
  ),
  missingCors: stack(dish, forShop),
  archive: stack(() => ({ statusCode: 200, body: archive() })),
  missing: stack(dish),
};
