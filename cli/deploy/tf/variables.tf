variable "application" {
  description = "The resolved application: every name, right and setting. `cli/application/types.ts` describes it."
  type        = any
}

variable "bundles" {
  description = "The folder with the bundles."
  type        = string
}

variable "delete_data" {
  description = "Whether Terraform may delete a bucket that still holds objects, and a table."
  type        = bool
}

locals {
  application = var.application
  settings    = local.application.settings
  functions   = local.application.functions
}
