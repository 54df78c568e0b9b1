resource "aws_sns_topic" "topic" {
  for_each = local.application.topics

  name              = each.value.name
  kms_master_key_id = "alias/aws/sns"
}

resource "aws_sns_topic_policy" "tls" {
  for_each = local.application.topics

  arn    = aws_sns_topic.topic[each.key].arn
  policy = jsonencode({ Version = "2012-10-17", Statement = each.value.policy })
}

locals {
  # { "topic messages" = { function, topic, filter, scope } }
  subscriptions = merge([
    for key, topic in local.application.topics : {
      for listener in topic.listeners : "${listener.function} ${key}" => merge(listener, { topic = key })
    }
  ]...)
}

resource "aws_sns_topic_subscription" "topic" {
  for_each = local.subscriptions

  topic_arn     = aws_sns_topic.topic[each.value.topic].arn
  protocol      = "lambda"
  endpoint      = aws_lambda_function.function[each.value.function].arn
  filter_policy = each.value.filter == null ? null : jsonencode(each.value.filter)
  # The provider refuses a scope without a policy.
  filter_policy_scope = each.value.filter == null ? null : each.value.scope

  depends_on = [aws_lambda_permission.topic]
}

resource "aws_lambda_permission" "topic" {
  for_each = local.subscriptions

  statement_id_prefix = "topic-"
  function_name       = aws_lambda_function.function[each.value.function].function_name
  action              = "lambda:InvokeFunction"
  principal           = "sns.amazonaws.com"
  source_arn          = aws_sns_topic.topic[each.value.topic].arn
}
