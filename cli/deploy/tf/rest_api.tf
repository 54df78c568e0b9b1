locals {
  # The header fields of the answers that the gateway makes itself, and of those to the preflights of browsers.
  own_fields = merge([for gateway in local.rest_api : merge(
    { Access-Control-Allow-Origin = gateway.origin },
    (gateway.cors == null ? gateway.origin != "*" : gateway.cors.credentials) ? { Access-Control-Allow-Credentials = "true" } : {},
    length(try(gateway.cors.exposeHeaders, [])) > 0 ? { Access-Control-Expose-Headers = join(",", gateway.cors.exposeHeaders) } : {},
  )]...)
  preflight_fields = merge([for cors in [for gateway in local.rest_api : gateway.cors if gateway.cors != null] : merge(
    {
      Access-Control-Allow-Origin  = cors.origins[0]
      Access-Control-Allow-Methods = join(",", cors.methods)
      Access-Control-Allow-Headers = join(",", cors.headers)
    },
    cors.credentials ? { Access-Control-Allow-Credentials = "true" } : {},
    cors.maxAge > 0 ? { Access-Control-Max-Age = tostring(cors.maxAge) } : {},
    length(cors.origins) > 1 ? { Vary = "Origin" } : {},
  )]...)
  # A mock integration sends fixed fields, so a template finds the origin of the request among several.
  preflight_template = join("", flatten([
    for cors in [for gateway in local.rest_api : gateway.cors if gateway.cors != null] : [
      "#set($origin = $input.params('Origin'))#if($origin == '')#set($origin = $input.params('origin'))#end",
      [for origin in cors.origins : "#if($origin == '${origin}')#set($context.responseOverride.header.Access-Control-Allow-Origin = $origin)#end"],
    ] if length(cors.origins) > 1
  ]))

  # A mock integration fails if its request is binary: https://github.com/aws/serverless-application-model/issues/553
  preflight = {
    security = []
    responses = {
      "204" = {
        description = "The answer to the preflight of a browser"
        headers     = { for name, _ in local.preflight_fields : name => { schema = { type = "string" } } }
      }
    }
    "x-amazon-apigateway-integration" = {
      type             = "mock"
      contentHandling  = "CONVERT_TO_TEXT"
      requestTemplates = { "application/json" = jsonencode({ statusCode = 204 }) }
      responses = {
        default = {
          statusCode         = "204"
          responseParameters = { for name, value in local.preflight_fields : "method.response.header.${name}" => "'${value}'" }
          responseTemplates  = { "application/json" = local.preflight_template }
        }
      }
    }
  }
}

# The whole gateway is one OpenAPI document. So every change of the routes, also a removal, reaches the document before the
# deployment.
resource "aws_api_gateway_rest_api" "gateway" {
  count = length(local.rest_api)

  name        = local.application.name
  description = "The HTTP gateway of ${local.application.name}"

  endpoint_configuration {
    types = ["REGIONAL"]
  }

  body = jsonencode({
    openapi = "3.0.1"
    info    = { title = local.application.name, version = local.application.stage }

    # The client gets a compressed or binary body of another type as base64 text.
    "x-amazon-apigateway-binary-media-types" = local.settings.binaryMediaTypes

    # Pages of other origins may read the gateway's own answers, such as 401 and 504.
    "x-amazon-apigateway-gateway-responses" = {
      for type in ["DEFAULT_4XX", "DEFAULT_5XX"] : type => {
        responseParameters = { for name, value in local.own_fields : "gatewayresponse.header.${name}" => "'${value}'" }
      }
    }

    # With a cache, the sources of the key are required. Without it, they would be required too, so they are left out. The
    # header of a token is always required.
    components = {
      securitySchemes = merge({
        for authorizer, one in local.authorizers : authorizer => {
          type                           = "apiKey"
          name                           = one.authorizes == "token" ? trimprefix(one.identity[0], "header.") : "Unused"
          in                             = "header"
          "x-amazon-apigateway-authtype" = "custom"
          "x-amazon-apigateway-authorizer" = merge(
            {
              type                         = one.authorizes
              authorizerUri                = aws_lambda_function.function[authorizer].invoke_arn
              authorizerResultTtlInSeconds = one.ttl
            },
            one.ttl == 0 && one.authorizes == "request" ? {} : {
              identitySource = join(", ", [
                for source in one.identity : startswith(source, "context.") ? source : "method.request.${source}"
              ])
            },
            one.validation == null ? {} : { identityValidationExpression = one.validation },
          )
        }
        }, {
        for name, jwt in local.jwt_authorizers : name => {
          type = "oauth2"
          "x-amazon-apigateway-authorizer" = {
            type           = "jwt"
            identitySource = "method.request.${jwt.identity}"
            jwtConfiguration = {
              issuers           = [{ issuer = jwt.issuer, audiences = jwt.audience }]
              defaultAlgorithms = ["RS256", "RS384", "RS512"]
            }
          }
        }
      })
    }

    paths = {
      for path in distinct(values(local.routes)[*].path) : path => merge({
        for route in values(local.routes) :
        route.method == "ANY" ? "x-amazon-apigateway-any-method" : lower(route.method) => {
          responses = {}
          security  = route.authorizer == null ? [] : [{ (route.authorizer) = route.scopes }]
          parameters = [
            for variable in flatten(regexall("\\{(\\w+)\\+?\\}", path)) :
            { name = variable, in = "path", required = true, schema = { type = "string" } }
          ]
          "x-amazon-apigateway-integration" = {
            type       = "aws_proxy"
            httpMethod = "POST" # the method with which the gateway invokes functions
            uri = !route.stream ? aws_lambda_function.function[route.function].invoke_arn : replace(
              replace(aws_lambda_function.function[route.function].invoke_arn, "path/2015-03-31", "path/2021-11-15"),
              "/invocations", "/response-streaming-invocations",
            )
            responseTransferMode = route.stream ? "STREAM" : "BUFFERED"
          }
        } if route.path == path
      }, contains(local.rest_api[0].preflights, path) ? { options = local.preflight } : {})
    }
  })

  lifecycle {
    create_before_destroy = true # terraform_data.address says why
  }
}

# A deployment is a snapshot of the document, and the stage serves a snapshot.
resource "aws_api_gateway_deployment" "gateway" {
  count = length(local.rest_api)

  rest_api_id = aws_api_gateway_rest_api.gateway[0].id
  triggers    = { document = sha1(aws_api_gateway_rest_api.gateway[0].body) }

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_api_gateway_stage" "gateway" {
  count = length(local.rest_api)

  rest_api_id   = aws_api_gateway_rest_api.gateway[0].id
  deployment_id = aws_api_gateway_deployment.gateway[0].id
  stage_name    = local.rest_api[0].stage

  xray_tracing_enabled = local.application.tracing

  dynamic "access_log_settings" {
    for_each = local.request_logs
    content {
      destination_arn = access_log_settings.value
      format          = local.request_log
    }
  }

  # So what is new is there before the stage changes, and what is old goes after it, with its functions.
  depends_on = [aws_lambda_permission.authorizer, aws_lambda_permission.route]

  lifecycle {
    create_before_destroy = true
  }
}

# Anyone may call the gateway, so this limits how much a stranger can spend.
resource "aws_api_gateway_method_settings" "throttling" {
  count = length(local.rest_api)

  rest_api_id = aws_api_gateway_rest_api.gateway[0].id
  stage_name  = aws_api_gateway_stage.gateway[0].stage_name
  method_path = "*/*"

  settings {
    throttling_rate_limit  = local.settings.throttle.rate
    throttling_burst_limit = local.settings.throttle.burst
  }

  lifecycle {
    create_before_destroy = true
  }
}
