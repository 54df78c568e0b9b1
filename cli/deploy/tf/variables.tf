variable "manifest" {
  description = "The path of the application's manifest."
  type        = string
}

variable "bundles" {
  description = "The folder with the bundles that `mate bundle` made of the manifest."
  type        = string
}

variable "infra" {
  description = "The values of the placeholders $${infra.NAME} of the manifest, by name."
  type        = any
  default     = {}
}

variable "data_only" {
  description = "Whether to keep the buckets and remove everything else."
  type        = bool
  default     = false
}

variable "delete_data" {
  description = "Whether Terraform may delete a bucket that still holds objects."
  type        = bool
  default     = false
}

variable "log_format" {
  description = "The format of the functions' logs: Text for people, JSON for queries by field. The logger follows it."
  type        = string
  default     = "Text"
  nullable    = false

  validation {
    condition     = contains(["Text", "JSON"], var.log_format)
    error_message = "The log format must be Text or JSON."
  }
}

variable "log_retention_days" {
  description = "How many days Amazon CloudWatch keeps the logs."
  type        = number
  default     = 14
  nullable    = false
}

variable "throttle_rate" {
  description = "How many requests per second the gateway lets through, over all routes."
  type        = number
  default     = 10
  nullable    = false
}

variable "throttle_burst" {
  description = "How many requests the gateway lets through at once."
  type        = number
  default     = 20
  nullable    = false
}

variable "gateway_log_role" {
  description = "Whether to create the role with which API Gateway writes access logs, and to set it for the account and region."
  type        = bool
  default     = true
  nullable    = false
}
