resource "aws_s3_bucket" "bucket" {
  for_each = local.application.buckets

  bucket        = each.value.name
  force_destroy = var.delete_data
}

resource "aws_s3_bucket_public_access_block" "bucket" {
  for_each = local.application.buckets

  bucket                  = aws_s3_bucket.bucket[each.key].id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_server_side_encryption_configuration" "bucket" {
  for_each = local.application.buckets

  bucket = aws_s3_bucket.bucket[each.key].id

  rule {
    apply_server_side_encryption_by_default {
      sse_algorithm = "AES256"
    }
  }
}

resource "aws_s3_bucket_versioning" "bucket" {
  for_each = local.application.buckets

  bucket = aws_s3_bucket.bucket[each.key].id

  versioning_configuration {
    status = "Enabled"
  }
}

resource "aws_s3_bucket_policy" "tls" {
  for_each = local.application.buckets

  bucket = aws_s3_bucket.bucket[each.key].id
  policy = jsonencode({ Version = "2012-10-17", Statement = each.value.policy })

  depends_on = [aws_s3_bucket_public_access_block.bucket] # Amazon S3 refuses both changes at once
}

resource "aws_s3_bucket_cors_configuration" "bucket" {
  for_each = { for key, bucket in local.application.buckets : key => bucket.cors if bucket.cors != null }

  bucket = aws_s3_bucket.bucket[each.key].id

  cors_rule {
    allowed_origins = each.value.origins
    allowed_methods = each.value.methods
    allowed_headers = each.value.headers
    expose_headers  = each.value.exposeHeaders
    max_age_seconds = each.value.maxAge
  }
}

# A bucket has one notification configuration for all functions.
resource "aws_s3_bucket_notification" "bucket" {
  for_each = { for key, bucket in local.application.buckets : key => bucket.listeners if length(bucket.listeners) > 0 }

  bucket = aws_s3_bucket.bucket[each.key].id

  dynamic "lambda_function" {
    for_each = each.value
    content {
      id                  = lambda_function.value.id
      lambda_function_arn = aws_lambda_function.function[lambda_function.value.function].arn
      events              = lambda_function.value.events
      filter_prefix       = lambda_function.value.prefix
      filter_suffix       = lambda_function.value.suffix
    }
  }

  depends_on = [aws_lambda_permission.bucket] # Amazon S3 tries the function at once
}

resource "aws_lambda_permission" "bucket" {
  for_each = merge([
    for key, bucket in local.application.buckets : {
      for listener in bucket.listeners : "${listener.function} ${key}" => { function = listener.function, bucket = key }...
    }
  ]...)

  statement_id_prefix = "bucket-"
  function_name       = aws_lambda_function.function[each.value[0].function].function_name
  action              = "lambda:InvokeFunction"
  principal           = "s3.amazonaws.com"
  source_arn          = aws_s3_bucket.bucket[each.value[0].bucket].arn
  source_account      = local.application.account # the ARN of a bucket does not say the account
}
