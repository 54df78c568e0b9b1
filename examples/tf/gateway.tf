resource "aws_api_gateway_rest_api" "gateway" {
  name        = local.manifest.name
  description = "The HTTP gateway of ${local.manifest.name}"

  # Without this, base64 bodies (every gzipped one) would reach the client as base64 text.
  binary_media_types = ["*/*"]

  endpoint_configuration {
    types = ["REGIONAL"]
  }

  lifecycle {
    precondition {
      condition     = length(local.routes) > 0
      error_message = "The application has no route: a gateway without any cannot be deployed."
    }
  }
}

# Preflight requests need nothing of their own: under ANY the functions answer OPTIONS themselves.
resource "aws_api_gateway_method" "route" {
  for_each = local.routes

  rest_api_id   = aws_api_gateway_rest_api.gateway.id
  resource_id   = local.resource_ids[each.value.resource]
  http_method   = each.value.method
  authorization = "NONE"
}

resource "aws_api_gateway_integration" "route" {
  for_each = local.routes

  rest_api_id             = aws_api_gateway_rest_api.gateway.id
  resource_id             = aws_api_gateway_method.route[each.key].resource_id
  http_method             = aws_api_gateway_method.route[each.key].http_method
  type                    = "AWS_PROXY"
  integration_http_method = "POST" # what the gateway itself invokes functions with
  uri                     = local.invocation_uris[each.value.function]
}

locals {
  # Put together rather than read from the functions: what the deployment below depends on is created before it is destroyed,
  # as the deployment is, and two functions cannot have one name.
  invocation_uris = {
    for key, function in local.functions : key => join(":", [
      "arn", data.aws_partition.current.partition, "apigateway", var.region,
      "lambda", "path/2015-03-31/functions/arn", data.aws_partition.current.partition, "lambda", var.region,
      data.aws_caller_identity.current.account_id, "function", "${function.name}/invocations",
    ])
  }
}

resource "aws_lambda_permission" "route" {
  for_each = local.routes

  statement_id  = "gateway-${substr(sha1(each.key), 0, 12)}"
  function_name = aws_lambda_function.function[each.value.function].function_name
  action        = "lambda:InvokeFunction"
  principal     = "apigateway.amazonaws.com"
  # Any stage, so that the console's test button works too; it uses one of its own.
  source_arn = join("/", [
    aws_api_gateway_rest_api.gateway.execution_arn,
    "*",
    each.value.method == "ANY" ? "*" : each.value.method,
    replace(each.value.resource, "/\\{[^}]*\\}/", "*"),
  ])
}

# What the gateway answers by itself (an unknown route, a failed function) can be read by other origins.
resource "aws_api_gateway_gateway_response" "cors" {
  for_each = toset(["DEFAULT_4XX", "DEFAULT_5XX"])

  rest_api_id   = aws_api_gateway_rest_api.gateway.id
  response_type = each.key

  response_parameters = {
    "gatewayresponse.header.Access-Control-Allow-Origin" = "'*'"
  }
}

# A deployment is a snapshot: the stage sees a change of the routes only with a new one.
resource "aws_api_gateway_deployment" "gateway" {
  rest_api_id = aws_api_gateway_rest_api.gateway.id

  triggers = {
    configuration = sha1(jsonencode([
      aws_api_gateway_rest_api.gateway.binary_media_types,
      [for key, route in aws_api_gateway_integration.route : [key, route.resource_id, route.type, route.uri]],
      [for response in aws_api_gateway_gateway_response.cors : response.response_parameters],
    ]))
  }

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_api_gateway_stage" "gateway" {
  rest_api_id   = aws_api_gateway_rest_api.gateway.id
  deployment_id = aws_api_gateway_deployment.gateway.id
  stage_name    = local.manifest.stage
}

# The gateway is open to everyone: this bounds what a stranger can spend.
resource "aws_api_gateway_method_settings" "throttling" {
  rest_api_id = aws_api_gateway_rest_api.gateway.id
  stage_name  = aws_api_gateway_stage.gateway.stage_name
  method_path = "*/*"

  settings {
    throttling_rate_limit  = var.throttle_rate
    throttling_burst_limit = var.throttle_burst
  }
}
