# Deno and the bootstrap, shared by all functions that run on Deno.
resource "aws_lambda_layer_version" "deno" {
  count = contains([for one in local.functions : one.runtime], "deno") ? 1 : 0

  layer_name               = local.application.layer
  description              = "Deno and the bootstrap of the custom runtime"
  filename                 = "${var.bundles}/layer-${local.application.architecture}.zip"
  source_code_hash         = filebase64sha256("${var.bundles}/layer-${local.application.architecture}.zip")
  compatible_architectures = [local.application.architecture]
  compatible_runtimes      = ["provided.al2023"]

  lifecycle {
    create_before_destroy = true # the functions use the old version until they have the new one
  }
}

resource "aws_lambda_function" "function" {
  for_each = local.functions

  function_name                  = each.value.name
  description                    = each.value.description
  role                           = aws_iam_role.function[each.key].arn
  runtime                        = each.value.runtime == "deno" ? "provided.al2023" : each.value.runtime
  architectures                  = [local.application.architecture]
  handler                        = each.value.handler
  layers                         = each.value.runtime == "deno" ? aws_lambda_layer_version.deno[*].arn : []
  filename                       = "${var.bundles}/${each.key}.zip"
  source_code_hash               = filebase64sha256("${var.bundles}/${each.key}.zip")
  memory_size                    = each.value.memory
  timeout                        = each.value.timeout
  reserved_concurrent_executions = each.value.reservedConcurrency

  dynamic "environment" {
    for_each = length(each.value.environment) > 0 ? [each.value.environment] : []
    content {
      variables = environment.value
    }
  }

  ephemeral_storage {
    size = each.value.ephemeralStorage
  }

  dynamic "vpc_config" {
    for_each = local.settings.vpc[*]
    content {
      subnet_ids         = vpc_config.value.subnets
      security_group_ids = vpc_config.value.securityGroups
    }
  }

  # Always present, because the provider ignores the removal of these blocks.
  logging_config {
    log_format = local.settings.logs.format
  }

  tracing_config {
    mode = local.application.tracing ? "Active" : "PassThrough"
  }

  depends_on = [aws_cloudwatch_log_group.function, aws_iam_role_policy.function]
}

resource "aws_cloudwatch_log_group" "function" {
  for_each = local.functions

  name              = each.value.logGroup
  retention_in_days = local.settings.logs.days
}

locals {
  # The trust policy of a role, by the service that assumes it.
  trust = {
    for service in ["lambda", "scheduler"] : service => jsonencode({
      Version   = "2012-10-17"
      Statement = [{ Effect = "Allow", Principal = { Service = "${service}.amazonaws.com" }, Action = "sts:AssumeRole" }]
    })
  }
}

# One role for each function, with the rights that the application states.
resource "aws_iam_role" "function" {
  for_each = local.functions

  name               = each.value.role
  description        = "The permissions of the function ${each.value.name}"
  assume_role_policy = local.trust.lambda
}

resource "aws_iam_role_policy" "function" {
  for_each = local.functions

  name   = "function"
  role   = aws_iam_role.function[each.key].name
  policy = jsonencode({ Version = "2012-10-17", Statement = each.value.statements })
}

locals {
  urls        = { for key, function in local.functions : key => function.url if function.url != null }
  public_urls = { for key, url in local.urls : key => url if url.auth == "none" }
}

resource "aws_lambda_function_url" "url" {
  for_each = local.urls

  function_name      = aws_lambda_function.function[each.key].function_name
  authorization_type = each.value.auth == "none" ? "NONE" : "AWS_IAM"
  invoke_mode        = each.value.stream ? "RESPONSE_STREAM" : "BUFFERED"

  dynamic "cors" {
    for_each = each.value.cors[*]
    content {
      allow_origins     = cors.value.origins
      allow_methods     = cors.value.methods
      allow_headers     = cors.value.headers
      expose_headers    = cors.value.exposeHeaders
      allow_credentials = cors.value.credentials
      max_age           = cors.value.maxAge
    }
  }
}

resource "aws_lambda_permission" "url" {
  for_each = local.public_urls

  statement_id_prefix    = "url-"
  function_name          = aws_lambda_function.function[each.key].function_name
  action                 = "lambda:InvokeFunctionUrl"
  principal              = "*"
  function_url_auth_type = "NONE"

  lifecycle {
    create_before_destroy = true
  }
}

# Since October 2025, a public URL needs a second permission. The provider's resource for permissions cannot express it.
resource "aws_cloudformation_stack" "url" {
  for_each = local.public_urls

  name = each.value.stack
  template_body = jsonencode({
    Resources = {
      Permission = {
        Type = "AWS::Lambda::Permission"
        Properties = {
          Action                = "lambda:InvokeFunction"
          FunctionName          = aws_lambda_function.function[each.key].arn
          InvokedViaFunctionUrl = true
          Principal             = "*"
        }
      }
    }
  })
}
