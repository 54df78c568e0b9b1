import { Buffer } from "node:buffer";
import { gzipSync } from "node:zlib";
import middy from "npm:@middy/core@6.4.5";
import httpContentNegotiation from "npm:@middy/http-content-negotiation@6.4.5";
import httpErrorHandler from "npm:@middy/http-error-handler@6.4.5";
import httpHeaderNormalizer from "npm:@middy/http-header-normalizer@6.4.5";
import httpJsonBodyParser from "npm:@middy/http-json-body-parser@6.4.5";
import httpResponseSerializer from "npm:@middy/http-response-serializer@6.4.5";
import { createError } from "npm:@middy/util@6.4.5";
import type { HttpEvent } from "../events.ts";
import { archive, type Handler, MENU, NO_SUCH_DISH, type Service } from "./service.ts";

interface State {
  readonly context: { readonly preferredEncoding?: string };
  readonly response: {
    body: unknown;
    isBase64Encoded?: boolean;
    readonly headers: Record<string, string>;
  };
}

/** Middy's own compression needs Node.js 22. These lines do the same as its shortest path. */
const gzip = {
  after: ({ context, response }: State) => {
    if (context.preferredEncoding !== "gzip") return;
    response.body = gzipSync(Buffer.from(response.body as string)).toString("base64");
    response.isBase64Encoded = true;
    response.headers["Content-Encoding"] = "gzip";
    response.headers["Vary"] = "Accept-Encoding";
  },
};

function stack(handler: (event: HttpEvent & { body: unknown }) => unknown, takesJson = false) {
  const chain = middy()
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
        serializer: ({ body }: { body: unknown }) => JSON.stringify(body, null, 2),
      }],
      defaultContentType: "application/json",
    }))
    .use(httpErrorHandler({ logger: false }));
  if (takesJson) chain.use(httpJsonBodyParser() as unknown as middy.MiddlewareObj);
  return chain.handler(handler as never) as unknown as Handler;
}

function dish({ path, queryStringParameters }: HttpEvent): unknown {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (!Object.hasOwn(MENU, name)) {
    throw createError(404, JSON.stringify({ Message: NO_SUCH_DISH }, null, 2));
  }
  return { statusCode: 200, body: { ...MENU[name], day: queryStringParameters?.["day"] } };
}

export const service: Service = {
  dish: stack(dish),
  order: stack(({ body }) => ({ statusCode: 200, body }), true),
  archive: stack(() => ({ statusCode: 200, body: archive() })),
  missing: stack(dish),
};
