locals {
  # Bucket names are one name space for all accounts and regions.
  bucket_names = {
    for key in local.buckets :
    key => "${local.manifest.name}-${key}-${data.aws_caller_identity.current.account_id}-${var.region}"
  }
}

resource "aws_s3_bucket" "bucket" {
  for_each = local.buckets

  bucket        = local.bucket_names[each.key]
  force_destroy = true # undeploying empties it

  lifecycle {
    precondition {
      condition     = length(local.bucket_names[each.key]) <= 63
      error_message = "The application's and the bucket's name are too long together: \"${local.bucket_names[each.key]}\" has more than 63 characters."
    }
  }
}

resource "aws_s3_bucket_public_access_block" "bucket" {
  for_each = local.buckets

  bucket                  = aws_s3_bucket.bucket[each.key].id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_server_side_encryption_configuration" "bucket" {
  for_each = local.buckets

  bucket = aws_s3_bucket.bucket[each.key].id

  rule {
    apply_server_side_encryption_by_default {
      sse_algorithm = "AES256"
    }
  }
}

# A bucket has one notification configuration, whoever listens.
resource "aws_s3_bucket_notification" "bucket" {
  for_each = local.buckets

  bucket = aws_s3_bucket.bucket[each.key].id

  dynamic "lambda_function" {
    for_each = { for key, bucket in local.listeners : key => bucket if bucket.name == each.key }
    content {
      id                  = lambda_function.key
      lambda_function_arn = aws_lambda_function.function[lambda_function.key].arn
      events              = lambda_function.value.events
    }
  }

  depends_on = [aws_lambda_permission.bucket] # the service tries the function at once
}

resource "aws_lambda_permission" "bucket" {
  for_each = local.listeners

  statement_id   = "bucket"
  function_name  = aws_lambda_function.function[each.key].function_name
  action         = "lambda:InvokeFunction"
  principal      = "s3.amazonaws.com"
  source_arn     = aws_s3_bucket.bucket[each.value.name].arn
  source_account = data.aws_caller_identity.current.account_id # the ARN of a bucket does not hold it
}
