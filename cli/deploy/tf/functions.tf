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
