# One role for each function, with the rights that the application states.
resource "aws_iam_role" "function" {
  for_each = local.functions

  name               = each.value.role
  description        = "The permissions of the function ${each.value.name}"
  assume_role_policy = jsonencode({ Version = "2012-10-17", Statement = each.value.trust })
}

resource "aws_iam_role_policy" "function" {
  for_each = local.functions

  name   = "function"
  role   = aws_iam_role.function[each.key].name
  policy = jsonencode({ Version = "2012-10-17", Statement = each.value.statements })
}
