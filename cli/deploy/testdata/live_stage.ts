/** A permission that a stage needs: the function, and the end of the ARN that may invoke it. */
type Need = readonly [functionName: string, source: string];

interface Route {
  /** The address of a function. The gateway answers a preflight itself, without one. */
  readonly "x-amazon-apigateway-integration": { readonly uri?: string };
}

interface Scheme {
  /** The address of a function. A JWT authorizer has none. */
  readonly "x-amazon-apigateway-authorizer": { readonly authorizerUri?: string };
}

/** The document of a REST API. */
interface Document {
  readonly components: { readonly securitySchemes: Readonly<Record<string, Scheme>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Route>>>>;
}

const functionIn = (uri: string) => /function:([\w-]+)/.exec(uri)![1]!;

function needsOf({ components, paths }: Document): Need[] {
  const authorizers = Object.values(components.securitySchemes).flatMap((scheme): Need[] => {
    const { authorizerUri } = scheme["x-amazon-apigateway-authorizer"];
    return authorizerUri === undefined ? [] : [[functionIn(authorizerUri), "/authorizers/*"]];
  });
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, route]): Need[] => {
      const name = method === "x-amazon-apigateway-any-method" ? "*" : method.toUpperCase();
      const { uri } = route["x-amazon-apigateway-integration"];
      if (uri === undefined) return [];
      return [[functionIn(uri), `/*/${name}${path.replaceAll(/\{[^}]*\}/g, "*")}`]];
    })
  );
  return [...authorizers, ...routes];
}

/**
 * What the live stages of REST APIs use, by the order of the calls that change them. Clients get errors if any of it goes
 * before the stage has changed.
 */
export class LiveStage {
  /** Each call that took something away from a live stage. */
  readonly faults: string[] = [];
  readonly #documents = new Map<string, Need[]>();
  readonly #deployments = new Map<string, Need[]>();
  readonly #live = new Map<string, Need[]>();
  /** The sources that may invoke a function, by its name and by the identifiers of the statements. */
  readonly #permissions = new Map<string, Map<string, string>>();

  /** Takes a call that has succeeded. */
  saw(method: string, path: string, body: string, answer: string): void {
    const [, api = "", part = "", name = ""] =
      /^\/restapis\/(\w+)(?:\/(deployments|stages)(?:\/(\w+))?)?$/.exec(path) ?? [];
    if (api !== "" && part === "" && method === "PUT") {
      const document = JSON.parse(body) as Document;
      this.#documents.set(api, needsOf(document));
    } else if (part === "deployments" && method === "POST") {
      this.#deployments.set(JSON.parse(answer).id, this.#documents.get(api) ?? []);
    } else if (part === "stages" && method === "DELETE") {
      this.#live.delete(`${api} ${name}`);
    } else if (part === "stages") {
      const { deploymentId, stageName = name } = JSON.parse(answer);
      this.#live.set(`${api} ${stageName}`, this.#deployments.get(deploymentId) ?? []);
    }
    const [, functionName = "", hasPolicy, statement = ""] =
      /^\/2015-03-31\/functions\/([^/]+)(?:(\/policy)(?:\/(.+))?)?$/.exec(path) ?? [];
    if (functionName === "") return;
    const known = this.#permissions.get(functionName) ?? new Map<string, string>();
    this.#permissions.set(functionName, known);
    if (method === "POST" && hasPolicy) {
      const { StatementId, SourceArn = "" } = JSON.parse(body);
      known.set(StatementId, SourceArn);
    } else if (method === "DELETE") {
      if (hasPolicy) known.delete(statement);
      else known.clear();
      for (const [stage, needs] of this.#live) {
        const lacks = needs.filter(([name, source]) =>
          name === functionName && ![...known.values()].some((arn) => arn.endsWith(source))
        );
        for (const need of lacks) this.faults.push(`${stage} needs ${need.join(" ")}: ${path}`);
      }
    }
  }
}
