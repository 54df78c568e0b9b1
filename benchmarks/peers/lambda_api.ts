import lambdaApi from "npm:lambda-api@1.5.1";
import { archive, MENU, NO_SUCH_DISH, type Service, serviceOf } from "./service.ts";

class NotFound extends Error {
  readonly status = 404;
}

// deno-lint-ignore no-explicit-any -- the types of lambda-api need packages that are not installed
const api = (lambdaApi as any)({
  compression: ["gzip"],
  serializer: (payload: unknown) => JSON.stringify(payload, null, 2),
});
type Request = Record<"params" | "query", Record<string, string>> & { body: unknown };
interface Response {
  json(payload: unknown): void;
  status(status: number): Response;
}

api.get("/menu/:dish", (request: Request, response: Response) => {
  const name = request.params["dish"] ?? "";
  if (!Object.hasOwn(MENU, name)) throw new NotFound(NO_SUCH_DISH);
  return response.json({ ...MENU[name], day: request.query["day"] });
});
api.post("/orders", (request: Request, response: Response) => response.json(request.body));
api.get("/archive", (_: Request, response: Response) => response.json(archive()));
// A function with four parameters answers errors.
api.use((error: NotFound, _request: Request, response: Response, _next: unknown) => {
  response.status(error.status).json({ Message: error.message });
});

export const service: Service = serviceOf((event, context) => api.run(event, context));
