# The network of the shop.
region = "eu-west-1"
zones  = ["eu-west-1a", "eu-west-1b"]

replicas    = 3
db_password = "Autumn-leaves-7"

tags = {
  Owner = "team-shop" # asks first
  Cost  = "1042"
}
