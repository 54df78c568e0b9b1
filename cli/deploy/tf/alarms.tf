# An alarm goes off as soon as a metric is above zero.
resource "aws_cloudwatch_metric_alarm" "alarm" {
  for_each = local.application.alarms

  alarm_name          = each.key
  alarm_description   = each.value.description
  namespace           = each.value.namespace
  metric_name         = each.value.metric
  dimensions          = { for name, value in each.value.dimensions : name => name == "ApiId" ? local.entrances[0].id : value }
  statistic           = each.value.statistic
  period              = 300
  evaluation_periods  = 1
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [local.settings.alarms.topic]
}
