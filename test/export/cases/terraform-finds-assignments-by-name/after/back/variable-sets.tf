resource "tfe_variable_set" "db" {
  name         = "db"
  organization = "acme"
}

import {
  to = tfe_variable_set.db
  id = "varset-AAAAAAAAAAAAAAA3"
}

resource "tfe_workspace_variable_set" "db_web" {
  variable_set_id = tfe_variable_set.db.id
  workspace_id    = "ws-AAAAAAAAAAAAAAA2"
}

import {
  to = tfe_workspace_variable_set.db_web
  id = "acme/web/db"
}
