resource "aws_s3_bucket" "bucket" {
  for_each = local.bucket_names

  bucket        = each.value
  force_destroy = var.delete_data

  lifecycle {
    precondition {
      condition     = length(each.value) <= 63
      error_message = "The names of the application and the bucket are too long together: \"${each.value}\" has more than 63 characters."
    }
  }
}

resource "aws_s3_bucket_public_access_block" "bucket" {
  for_each = local.bucket_names

  bucket                  = aws_s3_bucket.bucket[each.key].id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_server_side_encryption_configuration" "bucket" {
  for_each = local.bucket_names

  bucket = aws_s3_bucket.bucket[each.key].id

  rule {
    apply_server_side_encryption_by_default {
      sse_algorithm = "AES256"
    }
  }
}

resource "aws_s3_bucket_versioning" "bucket" {
  for_each = local.bucket_names

  bucket = aws_s3_bucket.bucket[each.key].id

  versioning_configuration {
    status = "Enabled"
  }
}

resource "aws_s3_bucket_policy" "tls" {
  for_each = local.bucket_names

  bucket = aws_s3_bucket.bucket[each.key].id
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Deny"
      Principal = "*"
      Action    = "s3:*"
      Resource  = [aws_s3_bucket.bucket[each.key].arn, "${aws_s3_bucket.bucket[each.key].arn}/*"]
      Condition = { Bool = { "aws:SecureTransport" = "false" } }
    }]
  })

  depends_on = [aws_s3_bucket_public_access_block.bucket] # Amazon S3 refuses both changes at once
}

# A bucket has one notification configuration for all functions.
resource "aws_s3_bucket_notification" "bucket" {
  for_each = toset([for listener in local.triggers.buckets : listener.trigger.name])

  bucket = aws_s3_bucket.bucket[each.key].id

  dynamic "lambda_function" {
    for_each = [for listener in local.triggers.buckets : listener if listener.trigger.name == each.key]
    content {
      id                  = "${lambda_function.value.function}-${substr(sha1(jsonencode(lambda_function.value.trigger)), 0, 8)}"
      lambda_function_arn = aws_lambda_function.function[lambda_function.value.function].arn
      events              = lambda_function.value.trigger.events
      filter_prefix       = try(lambda_function.value.trigger.prefix, "")
      filter_suffix       = try(lambda_function.value.trigger.suffix, "")
    }
  }

  depends_on = [aws_lambda_permission.bucket] # Amazon S3 tries the function at once
}

resource "aws_lambda_permission" "bucket" {
  for_each = local.bucket_listeners

  statement_id_prefix = "bucket-"
  function_name       = aws_lambda_function.function[each.value[0].function].function_name
  action              = "lambda:InvokeFunction"
  principal           = "s3.amazonaws.com"
  source_arn          = aws_s3_bucket.bucket[each.value[0].bucket].arn
  source_account      = local.account # the ARN of a bucket does not say the account
}
