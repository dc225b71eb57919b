location            = "westeurope"
resource_group_name = "rg-shop-prod-weu"
subscription_id     = "ca978112-ca1b-4dca-aac2-31b39a23dc4d"
sku = "Standard_D4s_v5"
description = "Größe \"groß\", C:\\temp, tab\there, emoji \U0001F600, caf\u00e9"
empty = ""
backup_policy = {
  frequency = "Daily", time = "23:00", retention = { daily = 7, weekly = 0, yearly = null }
}
policy_json = <<JSON
{
  "if": { "field": "location", "notIn": ["westeurope"] },
  "then": { "effect": "deny" }
}
JSON
admins = []
connection_string = "Server=tcp:sql.example.com,1433;Database=shop;User Id=app;Password=Autumn-leaves-7;"
