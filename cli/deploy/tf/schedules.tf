resource "aws_cloudwatch_event_rule" "rule" {
  for_each = local.application.rules

  name                = each.key
  description         = "Invokes the function ${local.functions[each.value.function].name}"
  schedule_expression = each.value.expression
  event_pattern       = each.value.pattern == null ? null : jsonencode(each.value.pattern)
  event_bus_name      = each.value.bus
}

resource "aws_cloudwatch_event_target" "rule" {
  for_each = local.application.rules

  rule           = aws_cloudwatch_event_rule.rule[each.key].name
  event_bus_name = each.value.bus
  arn            = aws_lambda_function.function[each.value.function].arn
  input          = each.value.input
}

resource "aws_lambda_permission" "rule" {
  for_each = local.application.rules

  statement_id_prefix = "rule-"
  function_name       = aws_lambda_function.function[each.value.function].function_name
  action              = "lambda:InvokeFunction"
  principal           = "events.amazonaws.com"
  source_arn          = aws_cloudwatch_event_rule.rule[each.key].arn
}

resource "aws_scheduler_schedule" "schedule" {
  for_each = local.application.schedules

  name                         = each.key
  description                  = "Invokes the function ${local.functions[each.value.function].name}"
  schedule_expression          = each.value.expression
  schedule_expression_timezone = each.value.timezone

  flexible_time_window {
    mode = "OFF"
  }

  target {
    arn      = aws_lambda_function.function[each.value.function].arn
    role_arn = aws_iam_role.scheduler[0].arn
    input    = each.value.input
  }
}

resource "aws_iam_role" "scheduler" {
  count = length(local.application.scheduler[*])

  name               = local.application.scheduler.role
  description        = "Lets EventBridge Scheduler invoke functions"
  assume_role_policy = local.trust.scheduler
}

resource "aws_iam_role_policy" "scheduler" {
  count = length(local.application.scheduler[*])

  name   = "invoke"
  role   = aws_iam_role.scheduler[0].name
  policy = jsonencode({ Version = "2012-10-17", Statement = local.application.scheduler.statements })
}
