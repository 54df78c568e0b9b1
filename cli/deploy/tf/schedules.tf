# The event of a rule has a source, a time and the rule, but a rule knows only UTC. So a schedule with another time zone is
# a schedule of EventBridge Scheduler.
locals {
  rules = { for key, schedule in local.schedules : key => schedule if schedule.timezone == "UTC" }
  zoned = { for key, schedule in local.schedules : key => schedule if schedule.timezone != "UTC" }
}

resource "aws_cloudwatch_event_rule" "rule" {
  for_each = merge(local.rules, local.events)

  name                = "${local.name}-${each.key}"
  description         = "Invokes the function ${local.functions[each.value.function].name}"
  schedule_expression = try(each.value.expression, null)
  event_pattern       = try(each.value.pattern, null)
  event_bus_name      = try(each.value.bus, "default")
}

resource "aws_cloudwatch_event_target" "rule" {
  for_each = aws_cloudwatch_event_rule.rule

  rule           = each.value.name
  event_bus_name = each.value.event_bus_name
  arn            = aws_lambda_function.function[merge(local.rules, local.events)[each.key].function].arn
  input          = try(local.rules[each.key].input, null)
}

resource "aws_lambda_permission" "rule" {
  for_each = aws_cloudwatch_event_rule.rule

  statement_id_prefix = "rule-"
  function_name       = aws_lambda_function.function[merge(local.rules, local.events)[each.key].function].function_name
  action              = "lambda:InvokeFunction"
  principal           = "events.amazonaws.com"
  source_arn          = each.value.arn
}

resource "aws_scheduler_schedule" "schedule" {
  for_each = local.zoned

  name                         = "${local.name}-${each.key}"
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
  count = length(local.zoned) > 0 ? 1 : 0

  name               = "${local.name}-${local.region}-scheduler"
  description        = "Lets EventBridge Scheduler invoke functions"
  assume_role_policy = data.aws_iam_policy_document.assume["scheduler"].json
}

resource "aws_iam_role_policy" "scheduler" {
  count = length(aws_iam_role.scheduler)

  name = "invoke"
  role = aws_iam_role.scheduler[0].name
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect   = "Allow"
      Action   = ["lambda:InvokeFunction"]
      Resource = [for key in distinct(values(local.zoned)[*].function) : aws_lambda_function.function[key].arn]
    }]
  })
}
