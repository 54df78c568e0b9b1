resource "aws_sns_topic" "topic" {
  for_each = local.topics

  name = "${local.manifest.name}-${each.key}"
}

resource "aws_sns_topic_subscription" "topic" {
  for_each = local.subscribers

  topic_arn = aws_sns_topic.topic[each.value].arn
  protocol  = "lambda"
  endpoint  = aws_lambda_function.function[each.key].arn

  depends_on = [aws_lambda_permission.topic]
}

resource "aws_lambda_permission" "topic" {
  for_each = local.subscribers

  statement_id  = "topic"
  function_name = aws_lambda_function.function[each.key].function_name
  action        = "lambda:InvokeFunction"
  principal     = "sns.amazonaws.com"
  source_arn    = aws_sns_topic.topic[each.value].arn
}
