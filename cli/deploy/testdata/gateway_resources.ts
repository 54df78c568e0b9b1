import type { Application, Gateway } from "../../application/types.ts";

/** The arguments of a resource. */
export type Values = Readonly<Record<string, unknown>>;

type Add = (type: string, key: string | number, values: Values) => void;

/** The names and values in an object, with both changed. */
export const mapped = <Value, Result>(
  object: Readonly<Record<string, Value>>,
  key: (key: string, value: Value) => string,
  value: (value: Value, key: string) => Result,
): Record<string, Result> =>
  Object.fromEntries(
    Object.entries(object).map(([name, one]) => [key(name, one), value(one, name)]),
  );

export const invokeArn = (arn: string, version = "2015-03-31", verb = "invocations"): string =>
  `arn:aws:apigateway:eu-west-1:lambda:path/${version}/functions/${arn}/${verb}`;

const GATEWAY = "arn:aws:execute-api:eu-west-1:123456789012:gateway";

/** The permission of a service to call a function. */
export const mayInvoke = (functionName: string, service: string, arn: string): Values => ({
  function_name: functionName,
  action: "lambda:InvokeFunction",
  principal: `${service}.amazonaws.com`,
  source_arn: arn,
});

const routeKey = ({ method, path }: Gateway["routes"][number]) =>
  path === "$default" ? path : `${method} ${path}`;

/** What AWS would know of the gateway. */
export function gatewayIdentities({ kind, routes, authorizers, jwtAuthorizers }: Gateway) {
  if (kind === "rest") {
    return { "aws_api_gateway_rest_api.gateway[0]": { id: "gateway", execution_arn: GATEWAY } };
  }
  const ids = (type: string, names: Iterable<string>) =>
    Object.fromEntries([...names].map((id) => [`aws_apigatewayv2_${type}["${id}"]`, { id }]));
  return {
    "aws_apigatewayv2_api.gateway[0]": { id: "gateway", execution_arn: GATEWAY },
    ...ids("integration.function", routes.map((route) => route.function)),
    ...ids("authorizer.function", Object.keys(authorizers)),
    ...ids("authorizer.jwt", Object.keys(jwtAuthorizers)),
  };
}

/** Adds the resources of the gateway, and those of its domain. */
export function addGateway(app: Application, add: Add): void {
  const { kind, stage, routes, authorizers } = app.gateway!;
  ADD[kind](app, app.gateway!, add);
  const addPermission = (type: string, key: string, name: string, place: string) => {
    const permission = mayInvoke(app.functions[name]!.name, "apigateway", `${GATEWAY}/${place}`);
    add(`lambda_permission.${type}`, key, permission);
  };
  for (const name of Object.keys(authorizers)) {
    addPermission("authorizer", name, name, "authorizers/*");
  }
  for (const route of routes) {
    const { method, path } = route;
    const place = path === "$default"
      ? path
      : `${method === "ANY" ? "*" : method}${path.replaceAll(/\{[^}]*\}/g, "*")}`;
    addPermission("route", routeKey(route), route.function, `*/${place}`);
  }
  const { name, certificate, zone, basePath } = app.settings.domain!;
  add("api_gateway_domain_name.domain", 0, {
    domain_name: name,
    regional_certificate_arn: certificate,
    security_policy: "TLS_1_2",
    endpoint_configuration: [{ types: ["REGIONAL"] }],
  });
  if (kind === "rest") {
    add("api_gateway_base_path_mapping.domain", 0, {
      domain_name: name,
      base_path: basePath,
      api_id: "gateway",
      stage_name: stage,
    });
  } else {
    add("apigatewayv2_api_mapping.domain", 0, {
      domain_name: name,
      api_mapping_key: basePath,
      api_id: "gateway",
      stage,
    });
  }
  for (const type of app.records) add("route53_record.domain", type, { zone_id: zone, name, type });
}

const ADD = {
  rest(app: Application, gateway: Gateway, add: Add): void {
    const { settings, functions } = app;
    const { cors, origin } = gateway;
    const paths: Record<string, Record<string, unknown>> = {};
    const schemes: Record<string, unknown> = {};
    for (const route of gateway.routes) {
      const { method, path, authorizer, scopes, stream, function: name } = route;
      const { arn } = functions[name]!;
      (paths[path] ??= {})[
        method === "ANY" ? "x-amazon-apigateway-any-method" : method.toLowerCase()
      ] = {
        responses: {},
        security: authorizer ? [{ [authorizer]: scopes }] : [],
        parameters: [...path.matchAll(/\{(\w+)\+?\}/g)].map(([, name]) => ({
          name,
          in: "path",
          required: true,
          schema: { type: "string" },
        })),
        "x-amazon-apigateway-integration": {
          type: "aws_proxy",
          httpMethod: "POST",
          uri: stream
            ? invokeArn(arn, "2021-11-15", "response-streaming-invocations")
            : invokeArn(arn),
          responseTransferMode: stream ? "STREAM" : "BUFFERED",
        },
      };
    }
    const fields = {
      "Access-Control-Allow-Origin": cors!.origins[0]!,
      "Access-Control-Allow-Methods": cors!.methods.join(","),
      "Access-Control-Allow-Headers": cors!.headers.join(","),
      "Access-Control-Max-Age": String(cors!.maxAge),
      ...cors!.credentials && { "Access-Control-Allow-Credentials": "true" },
    };
    for (const path of gateway.preflights) {
      paths[path]!.options = {
        security: [],
        responses: {
          204: {
            description: "The answer to the preflight of a browser",
            headers: mapped(fields, (name) => name, () => ({ schema: { type: "string" } })),
          },
        },
        "x-amazon-apigateway-integration": {
          type: "mock",
          contentHandling: "CONVERT_TO_TEXT",
          requestTemplates: { "application/json": '{"statusCode":204}' },
          responses: {
            default: {
              statusCode: "204",
              responseParameters: mapped(
                fields,
                (name) => `method.response.header.${name}`,
                (value) => `'${value}'`,
              ),
              responseTemplates: { "application/json": "" },
            },
          },
        },
      };
    }
    for (const [name, one] of Object.entries(gateway.authorizers)) {
      const { authorizes, ttl, identity, validation } = one;
      const isToken = authorizes === "token";
      schemes[name] = {
        type: "apiKey",
        name: isToken ? identity[0]!.replace("header.", "") : "Unused",
        in: "header",
        "x-amazon-apigateway-authtype": "custom",
        "x-amazon-apigateway-authorizer": {
          type: authorizes,
          authorizerUri: invokeArn(functions[name]!.arn),
          authorizerResultTtlInSeconds: ttl,
          ...validation !== undefined && { identityValidationExpression: validation },
          ...(ttl > 0 || isToken) && {
            identitySource: identity.map((source) =>
              source.startsWith("context.") ? source : `method.request.${source}`
            ).join(", "),
          },
        },
      };
    }
    for (const [name, { issuer, audience, identity }] of Object.entries(gateway.jwtAuthorizers)) {
      schemes[name] = {
        type: "oauth2",
        "x-amazon-apigateway-authorizer": {
          type: "jwt",
          identitySource: `method.request.${identity}`,
          jwtConfiguration: {
            issuers: [{ issuer, audiences: audience }],
            defaultAlgorithms: ["RS256", "RS384", "RS512"],
          },
        },
      };
    }
    const answers = {
      responseParameters: {
        "gatewayresponse.header.Access-Control-Allow-Origin": `'${origin}'`,
        "gatewayresponse.header.Access-Control-Expose-Headers": `'${
          cors!.exposeHeaders.join(",")
        }'`,
        ...origin !== "*" &&
          { "gatewayresponse.header.Access-Control-Allow-Credentials": "'true'" },
      },
    };
    add("api_gateway_rest_api.gateway", 0, {
      name: app.name,
      endpoint_configuration: [{ types: ["REGIONAL"] }],
      body: {
        openapi: "3.0.1",
        info: { title: app.name, version: app.stage },
        "x-amazon-apigateway-binary-media-types": settings.binaryMediaTypes,
        "x-amazon-apigateway-gateway-responses": { DEFAULT_4XX: answers, DEFAULT_5XX: answers },
        components: { securitySchemes: schemes },
        paths,
      },
    });
    add("api_gateway_deployment.gateway", 0, { rest_api_id: "gateway" });
    add("api_gateway_stage.gateway", 0, {
      stage_name: gateway.stage,
      xray_tracing_enabled: app.tracing,
      access_log_settings: settings.logs.requests ? [{ destination_arn: app.logGroup.arn }] : [],
    });
    add("api_gateway_method_settings.throttling", 0, {
      stage_name: gateway.stage,
      method_path: "*/*",
      settings: [{
        throttling_rate_limit: settings.throttle.rate,
        throttling_burst_limit: settings.throttle.burst,
      }],
    });
  },
  http(app: Application, gateway: Gateway, add: Add): void {
    const { settings, functions } = app;
    const { authorizers, jwtAuthorizers } = gateway;
    const cors = gateway.cors!;
    add("apigatewayv2_api.gateway", 0, {
      name: app.name,
      protocol_type: "HTTP",
      cors_configuration: [{
        allow_origins: cors.origins,
        allow_methods: cors.methods,
        allow_headers: cors.headers,
        expose_headers: cors.exposeHeaders,
        allow_credentials: cors.credentials,
        max_age: cors.maxAge,
      }],
    });
    for (const route of gateway.routes) {
      const { authorizer, scopes, function: name } = route;
      add("apigatewayv2_integration.function", name, {
        integration_type: "AWS_PROXY",
        integration_uri: invokeArn(functions[name]!.arn),
        payload_format_version: "2.0",
      });
      const key = routeKey(route);
      add("apigatewayv2_route.route", key, {
        api_id: "gateway",
        route_key: key,
        target: `integrations/${name}`,
        authorization_type: authorizer === undefined
          ? "NONE"
          : authorizer in jwtAuthorizers
          ? "JWT"
          : "CUSTOM",
        authorizer_id: authorizer ?? null,
        authorization_scopes: scopes,
      });
    }
    for (const [name, { authorizes, ttl, identity }] of Object.entries(authorizers)) {
      add("apigatewayv2_authorizer.function", name, {
        name,
        authorizer_type: "REQUEST",
        authorizer_uri: invokeArn(functions[name]!.arn),
        authorizer_payload_format_version: "2.0",
        enable_simple_responses: authorizes === "simple",
        authorizer_result_ttl_in_seconds: ttl,
        identity_sources: identity.map((source) =>
          source.startsWith("context.") ? `$${source}` : `$request.${source}`
        ).sort(),
      });
    }
    for (const [name, { issuer, audience, identity }] of Object.entries(jwtAuthorizers)) {
      add("apigatewayv2_authorizer.jwt", name, {
        name,
        authorizer_type: "JWT",
        identity_sources: [`$request.${identity}`],
        jwt_configuration: [{ issuer, audience }],
      });
    }
    add("apigatewayv2_stage.gateway", 0, {
      name: gateway.stage,
      auto_deploy: true,
      default_route_settings: [{
        throttling_rate_limit: settings.throttle.rate,
        throttling_burst_limit: settings.throttle.burst,
      }],
      access_log_settings: settings.logs.requests ? [{ destination_arn: app.logGroup.arn }] : [],
    });
  },
};
