locals {
  gateway  = local.application.gateway[*] # a list of one gateway, or of none
  rest_api = [for gateway in local.gateway : gateway if gateway.kind == "rest"]
  http_api = [for gateway in local.gateway : gateway if gateway.kind == "http"]

  routes = merge([
    for gateway in local.gateway :
    { for route in gateway.routes : (route.path == "$default" ? route.path : "${route.method} ${route.path}") => route }
  ]...)
  authorizers     = merge(local.gateway[*].authorizers...)
  jwt_authorizers = merge(local.gateway[*].jwtAuthorizers...)

  execution_arn = one(concat(aws_api_gateway_rest_api.gateway[*].execution_arn, aws_apigatewayv2_api.gateway[*].execution_arn))

  # What leads to the gateway: one of the two kinds.
  entrances = concat(
    [for stage in aws_api_gateway_stage.gateway : { id = stage.rest_api_id, stage = stage.stage_name, arn = stage.arn, url = stage.invoke_url }],
    [for stage in aws_apigatewayv2_stage.gateway : {
      id    = stage.api_id
      stage = stage.name
      arn   = stage.arn
      url   = aws_apigatewayv2_api.gateway[0].api_endpoint
    }],
  )

  request_logs = local.settings.logs.requests ? [local.application.logGroup.arn] : []
  request_log = jsonencode({
    for field in ["requestId", "requestTime", "httpMethod", "path", "status", "responseLatency", "responseLength"] :
    field => "$context.${field}"
  })
}

# If the kind of the gateway changes, all of the new one is made, then this changes, and then all of the old one goes: this depends
# on everything of both, and everything of both has create_before_destroy.
resource "terraform_data" "address" {
  count = length(local.gateway)

  input = local.entrances[0].url

  depends_on = [
    aws_api_gateway_method_settings.throttling,
    aws_apigatewayv2_route.route,
    aws_lambda_permission.authorizer,
    aws_lambda_permission.route,
  ]
}

resource "aws_lambda_permission" "authorizer" {
  for_each = local.authorizers

  statement_id_prefix = "authorizer-"
  function_name       = aws_lambda_function.function[each.key].function_name
  action              = "lambda:InvokeFunction"
  principal           = "apigateway.amazonaws.com"
  source_arn          = "${local.execution_arn}/authorizers/*"

  lifecycle {
    create_before_destroy = true # The gateway uses the old one until it has changed.
  }
}

resource "aws_lambda_permission" "route" {
  for_each = local.routes

  statement_id_prefix = "gateway-"
  function_name       = aws_lambda_function.function[each.value.function].function_name
  action              = "lambda:InvokeFunction"
  principal           = "apigateway.amazonaws.com"
  # The permission is for any stage, because the test button of the console uses another stage.
  source_arn = join("", [
    local.execution_arn,
    "/*/",
    each.key == "$default" ? "" : each.value.method == "ANY" ? "*" : each.value.method,
    replace(each.value.path, "/\\{[^}]*\\}/", "*"),
  ])

  lifecycle {
    create_before_destroy = true
  }
}

# The domain leads to the stage, so its paths do not begin with the name of the stage. Both kinds of gateways take such a domain.
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
  count = length(local.rest_api) * length(local.settings.domain[*])

  domain_name = aws_api_gateway_domain_name.domain[0].domain_name
  base_path   = local.settings.domain.basePath
  api_id      = aws_api_gateway_rest_api.gateway[0].id
  stage_name  = aws_api_gateway_stage.gateway[0].stage_name
}

resource "aws_apigatewayv2_api_mapping" "domain" {
  count = length(local.http_api) * length(local.settings.domain[*])

  domain_name     = aws_api_gateway_domain_name.domain[0].domain_name
  api_mapping_key = local.settings.domain.basePath
  api_id          = aws_apigatewayv2_api.gateway[0].id
  stage           = aws_apigatewayv2_stage.gateway[0].name
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
