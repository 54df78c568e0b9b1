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
