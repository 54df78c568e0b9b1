import lambdaApi from "npm:lambda-api@1.5.1";
import { ARCHIVE, MENU, NO_SUCH_DISH } from "../workloads/_menu.ts";
import type { Service } from "./service.ts";

class NotFound extends Error {
  readonly status = 404;
}

/** What is used here of it: its types, of a CommonJS module, name packages that are not installed. */
interface Api {
  get(path: string, handler: ApiHandler): void;
  post(path: string, handler: ApiHandler): void;
  use(
    handler: (error: NotFound, request: Request, response: Response, next: unknown) => void,
  ): void;
  run(event: object, context: object): Promise<unknown>;
}
type ApiHandler = (request: Request, response: Response) => void;
interface Request {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}
interface Response {
  json(payload: unknown): void;
  status(status: number): Response;
}

const createApi = lambdaApi as unknown as (options: object) => Api;
const api = createApi({
  compression: ["gzip"],
  serializer: (payload: unknown) => JSON.stringify(payload, null, 2),
});
const dish: ApiHandler = (request, response) => {
  const name = request.params["dish"] ?? "";
  if (!Object.hasOwn(MENU, name)) throw new NotFound(NO_SUCH_DISH);
  return response.json({ ...MENU[name], day: request.query["day"] });
};
api.get("/menu/:dish", dish);
api.post("/orders", (request, response) => response.json(request.body));
api.get("/archive", (_request, response) => response.json(ARCHIVE));
// With four parameters it is what answers errors; its own way writes them without indentation.
api.use((error, _request, response, _next) => {
  response.status(error.status).json({ Message: error.message });
});

const handler: Service["dish"] = (event, context) => api.run(event, context);

/** The framework for Lambda without dependencies. */
export const lambdaApiService: Service = {
  name: "lambda-api",
  dish: handler,
  order: handler,
  archive: handler,
  missing: handler,
};
