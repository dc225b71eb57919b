# VPC of the shared services account, see the README of the module.
name = "shared-services"
cidr = "10.20.0.0/16"

azs             = ["eu-west-1a", "eu-west-1b", "eu-west-1c"]
private_subnets = ["10.20.1.0/24", "10.20.2.0/24", "10.20.3.0/24"]
public_subnets = [
  "10.20.101.0/24", // a
  "10.20.102.0/24", // b
  "10.20.103.0/24", // c
]

enable_nat_gateway     = true
single_nat_gateway     = false
one_nat_gateway_per_az = true
flow_log_max_aggregation_interval = 60

/* Billing asks for these. */
tags = {
  Terraform   = "true"
  Environment = "shared"
  "cost:center" = "4711"
}
