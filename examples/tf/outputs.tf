output "base_url" {
  description = "The URL of the stage."
  value       = aws_api_gateway_stage.gateway.invoke_url
}

output "curl" {
  description = "A request to try for each route."
  value = join("\n", [
    for route in local.routes : join(" ", concat(
      ["curl"],
      contains(["ANY", "GET"], route.method) ? [] : route.method == "HEAD" ? ["-I"] : ["-X ${route.method}"],
      ["${aws_api_gateway_stage.gateway.invoke_url}/${replace(replace(route.resource, "/\\{\\w+\\+\\}/", "any/path"), "/[{}]/", "")}"],
    ))
  ])
}

output "functions" {
  description = "The names of the functions."
  value       = { for key, function in aws_lambda_function.function : key => function.function_name }
}

output "log_groups" {
  description = "The log groups of the functions."
  value       = { for key, group in aws_cloudwatch_log_group.function : key => group.name }
}

output "buckets" {
  description = "The names of the buckets."
  value       = { for key, bucket in aws_s3_bucket.bucket : key => bucket.id }
}

output "topics" {
  description = "The ARNs of the topics."
  value       = { for key, topic in aws_sns_topic.topic : key => topic.arn }
}

output "architecture" {
  description = "The processor of the functions."
  value       = var.architecture
}
