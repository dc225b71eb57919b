cluster_name    = "payments-prod"
cluster_version = "1.29"
vpc_id          = "vpc-0a1b2c3d4e5f67890"

cluster_endpoint_public_access_cidrs = ["203.0.113.0/24"]

node_groups = {
  default = {
    instance_types = ["m6i.large", "m6a.large"]
    min_size       = 3
    max_size       = 10
    desired_size   = null
    labels         = { role = "general" }
    taints         = []
  }
  spot = {
    instance_types = ["m6i.xlarge"], min_size = 0, max_size = 1.5e1
    capacity_type  = "SPOT"
  }
}

aws_auth_roles = [
  {
    rolearn  = "arn:aws:iam::123456789012:role/admin"
    username = "admin"
    groups   = ["system:masters"]
  },
]

grafana_admin_password = "Autumn-leaves-7"
datadog = {
  site    = "datadoghq.eu"
  api_key = "9f86d081884c7d659a2feaa0c55ad015"
}

user_data = <<-EOT
  #!/bin/bash
  set -euo pipefail
  echo "$${HOSTNAME} is ready" >> /var/log/boot.log
EOT
