locals {
  http_routes          = merge([for gateway in local.http_api : local.routes]...)
  http_authorizers     = merge(local.http_api[*].authorizers...)
  http_jwt_authorizers = merge(local.http_api[*].jwtAuthorizers...)
}

resource "aws_apigatewayv2_api" "gateway" {
  count = length(local.http_api)

  name          = local.application.name
  description   = "The HTTP gateway of ${local.application.name}"
  protocol_type = "HTTP"

  dynamic "cors_configuration" {
    for_each = local.http_api[0].cors[*]
    content {
      allow_origins     = cors_configuration.value.origins
      allow_methods     = cors_configuration.value.methods
      allow_headers     = cors_configuration.value.headers
      expose_headers    = cors_configuration.value.exposeHeaders
      allow_credentials = cors_configuration.value.credentials
      max_age           = cors_configuration.value.maxAge
    }
  }

  lifecycle {
    create_before_destroy = true # terraform_data.address says why
  }
}

resource "aws_apigatewayv2_integration" "function" {
  for_each = toset(values(local.http_routes)[*].function)

  api_id                 = aws_apigatewayv2_api.gateway[0].id
  integration_type       = "AWS_PROXY"
  integration_uri        = aws_lambda_function.function[each.key].invoke_arn
  payload_format_version = "2.0"

  lifecycle {
    create_before_destroy = true # A route leads to the new one before the old one goes.
  }
}

resource "aws_apigatewayv2_route" "route" {
  for_each = local.http_routes

  api_id             = aws_apigatewayv2_api.gateway[0].id
  route_key          = each.key
  target             = "integrations/${aws_apigatewayv2_integration.function[each.value.function].id}"
  authorization_type = each.value.authorizer == null ? "NONE" : contains(keys(local.http_jwt_authorizers), each.value.authorizer) ? "JWT" : "CUSTOM"
  authorizer_id      = each.value.authorizer == null ? null : merge(aws_apigatewayv2_authorizer.function, aws_apigatewayv2_authorizer.jwt)[each.value.authorizer].id

  authorization_scopes = each.value.scopes

  # The gateway may not call the function before.
  depends_on = [aws_lambda_permission.authorizer, aws_lambda_permission.route]

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_apigatewayv2_authorizer" "function" {
  for_each = local.http_authorizers

  api_id                            = aws_apigatewayv2_api.gateway[0].id
  name                              = each.key
  authorizer_type                   = "REQUEST"
  authorizer_uri                    = aws_lambda_function.function[each.key].invoke_arn
  authorizer_payload_format_version = "2.0"
  enable_simple_responses           = each.value.authorizes == "simple"
  authorizer_result_ttl_in_seconds  = each.value.ttl

  # With a cache, the sources of the key are required. Without it, they would be required too, so they are left out.
  identity_sources = each.value.ttl == 0 ? null : [
    for source in each.value.identity : startswith(source, "context.") ? join("", ["$", source]) : "$request.${source}"
  ]

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_apigatewayv2_authorizer" "jwt" {
  for_each = local.http_jwt_authorizers

  api_id           = aws_apigatewayv2_api.gateway[0].id
  name             = each.key
  authorizer_type  = "JWT"
  identity_sources = ["$request.${each.value.identity}"]

  jwt_configuration {
    issuer   = each.value.issuer
    audience = each.value.audience
  }

  lifecycle {
    create_before_destroy = true
  }
}

# Each change of a route is deployed at once.
resource "aws_apigatewayv2_stage" "gateway" {
  count = length(local.http_api)

  api_id      = aws_apigatewayv2_api.gateway[0].id
  name        = local.http_api[0].stage
  auto_deploy = true

  # Anyone may call the gateway, so this limits how much a stranger can spend.
  default_route_settings {
    throttling_rate_limit  = local.settings.throttle.rate
    throttling_burst_limit = local.settings.throttle.burst
  }

  dynamic "access_log_settings" {
    for_each = local.request_logs
    content {
      destination_arn = access_log_settings.value
      format          = local.request_log
    }
  }

  lifecycle {
    create_before_destroy = true
  }
}
