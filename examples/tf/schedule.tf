# An EventBridge rule rather than the Scheduler service: it needs no role of its own, and its events
# carry source, time and the rule that fired.
resource "aws_cloudwatch_event_rule" "schedule" {
  for_each = local.schedules

  name                = local.functions[each.key].name
  description         = "Invokes the function ${local.functions[each.key].name}"
  schedule_expression = each.value
}

resource "aws_cloudwatch_event_target" "schedule" {
  for_each = local.schedules

  rule = aws_cloudwatch_event_rule.schedule[each.key].name
  arn  = aws_lambda_function.function[each.key].arn
}

resource "aws_lambda_permission" "schedule" {
  for_each = local.schedules

  statement_id  = "schedule"
  function_name = aws_lambda_function.function[each.key].function_name
  action        = "lambda:InvokeFunction"
  principal     = "events.amazonaws.com"
  source_arn    = aws_cloudwatch_event_rule.schedule[each.key].arn
}
