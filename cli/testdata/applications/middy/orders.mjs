import middy from "@middy/core";
import httpErrorHandler from "@middy/http-error-handler";
import httpJsonBodyParser from "@middy/http-json-body-parser";

const createOrder = async (event) => {
  const { item, count } = event.body;
  if (!Number.isInteger(count) || count < 1) {
    const error = new Error("count must be positive");
    error.statusCode = 400;
    error.expose = true;
    throw error;
  }
  return { statusCode: 201, body: JSON.stringify({ item, count, path: event.path }) };
};

const answerTime = () => {
  let start;
  return {
    before: () => {
      start = Date.now();
    },
    after: ({ response }) => {
      response.headers = { ...response.headers, "x-took": String(Date.now() - start) };
    },
  };
};

export const handler = middy()
  .use(httpErrorHandler({ logger: false }))
  .use(httpJsonBodyParser())
  .use(answerTime())
  .handler(createOrder);
