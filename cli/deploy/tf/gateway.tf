locals {
  gateway     = local.application.gateway[*] # a list of one gateway, or of none
  routes      = merge([for gateway in local.gateway : { for route in gateway.routes : "${route.method} ${route.path}" => route }]...)
  authorizers = merge([for gateway in local.gateway : gateway.authorizers]...)
}

# The whole gateway is one OpenAPI document. So every change of the routes, also a removal, reaches the document before the
# deployment.
resource "aws_api_gateway_rest_api" "gateway" {
  count = length(local.gateway)

  name        = local.application.name
  description = "The HTTP gateway of ${local.application.name}"

  endpoint_configuration {
    types = ["REGIONAL"]
  }

  body = jsonencode({
    openapi = "3.0.1"
    info    = { title = local.application.name, version = local.application.stage }

    # Without this, the client would get a compressed or binary body as base64 text.
    "x-amazon-apigateway-binary-media-types" = ["*/*"]

    # Pages of other origins may read the gateway's own answers, such as 401 and 504.
    "x-amazon-apigateway-gateway-responses" = {
      for type in ["DEFAULT_4XX", "DEFAULT_5XX"] : type => {
        responseParameters = merge(
          { "gatewayresponse.header.Access-Control-Allow-Origin" = "'${local.gateway[0].origin}'" },
          local.gateway[0].origin == "*" ? {} : { "gatewayresponse.header.Access-Control-Allow-Credentials" = "'true'" },
        )
      }
    }

    # With a cache, the sources of the key are required. Without it, they would be required too, so they are left out.
    components = {
      securitySchemes = {
        for authorizer, cache in local.authorizers : authorizer => {
          type                           = "apiKey"
          name                           = "Unused"
          in                             = "header"
          "x-amazon-apigateway-authtype" = "custom"
          "x-amazon-apigateway-authorizer" = merge(
            {
              type                         = "request"
              authorizerUri                = aws_lambda_function.function[authorizer].invoke_arn
              authorizerResultTtlInSeconds = cache.ttl
            },
            cache.ttl == 0 ? {} : {
              identitySource = join(", ", [
                for source in cache.identity : startswith(source, "context.") ? source : "method.request.${source}"
              ])
            },
          )
        }
      }
    }

    paths = {
      for path in distinct(values(local.routes)[*].path) : path => {
        for route in values(local.routes) :
        route.method == "ANY" ? "x-amazon-apigateway-any-method" : lower(route.method) => {
          responses = {}
          security  = route.authorizer == null ? [] : [{ (route.authorizer) = [] }]
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
      }
    }
  })
}

resource "aws_lambda_permission" "authorizer" {
  for_each = local.authorizers

  statement_id_prefix = "authorizer-"
  function_name       = aws_lambda_function.function[each.key].function_name
  action              = "lambda:InvokeFunction"
  principal           = "apigateway.amazonaws.com"
  source_arn          = "${aws_api_gateway_rest_api.gateway[0].execution_arn}/authorizers/*"
}

resource "aws_lambda_permission" "route" {
  for_each = local.routes

  statement_id_prefix = "gateway-"
  function_name       = aws_lambda_function.function[each.value.function].function_name
  action              = "lambda:InvokeFunction"
  principal           = "apigateway.amazonaws.com"
  # The permission is for any stage, because the test button of the console uses another stage.
  source_arn = join("", [
    aws_api_gateway_rest_api.gateway[0].execution_arn,
    "/*/",
    each.value.method == "ANY" ? "*" : each.value.method,
    replace(each.value.path, "/\\{[^}]*\\}/", "*"),
  ])
}

# A deployment is a snapshot of the document, and the stage serves a snapshot.
resource "aws_api_gateway_deployment" "gateway" {
  count = length(local.gateway)

  rest_api_id = aws_api_gateway_rest_api.gateway[0].id
  triggers    = { document = sha1(aws_api_gateway_rest_api.gateway[0].body) }

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_api_gateway_stage" "gateway" {
  count = length(local.gateway)

  rest_api_id   = aws_api_gateway_rest_api.gateway[0].id
  deployment_id = aws_api_gateway_deployment.gateway[0].id
  stage_name    = local.application.stage

  xray_tracing_enabled = local.application.tracing

  dynamic "access_log_settings" {
    for_each = local.settings.logs.requests ? [local.application.logGroup.arn] : []
    content {
      destination_arn = access_log_settings.value
      format = jsonencode({
        for field in ["requestId", "requestTime", "httpMethod", "path", "status", "responseLatency", "responseLength"] :
        field => "$context.${field}"
      })
    }
  }
}

# Anyone may call the gateway, so this limits how much a stranger can spend.
resource "aws_api_gateway_method_settings" "throttling" {
  count = length(local.gateway)

  rest_api_id = aws_api_gateway_rest_api.gateway[0].id
  stage_name  = aws_api_gateway_stage.gateway[0].stage_name
  method_path = "*/*"

  settings {
    throttling_rate_limit  = local.settings.throttle.rate
    throttling_burst_limit = local.settings.throttle.burst
  }
}

# The domain leads to the stage, so its paths do not begin with the name of the stage.
resource "aws_api_gateway_domain_name" "domain" {
  count = length(local.settings.domain[*])

  domain_name              = local.settings.domain.name
  regional_certificate_arn = local.settings.domain.certificate
  security_policy          = "TLS_1_2"

  endpoint_configuration {
    types = ["REGIONAL"]
  }
}

resource "aws_api_gateway_base_path_mapping" "domain" {
  count = length(local.settings.domain[*])

  domain_name = aws_api_gateway_domain_name.domain[0].domain_name
  api_id      = aws_api_gateway_rest_api.gateway[0].id
  stage_name  = aws_api_gateway_stage.gateway[0].stage_name
}

resource "aws_route53_record" "domain" {
  for_each = toset(local.application.records)

  zone_id = local.settings.domain.zone
  name    = local.settings.domain.name
  type    = each.key

  alias {
    name                   = aws_api_gateway_domain_name.domain[0].regional_domain_name
    zone_id                = aws_api_gateway_domain_name.domain[0].regional_zone_id
    evaluate_target_health = false
  }
}
