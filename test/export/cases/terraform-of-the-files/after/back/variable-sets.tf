resource "tfe_variable_set" "_1_uni" {
  name              = "1/ünï"
  organization      = "acme"
  parent_project_id = "prj-AAAAAAAAAAAAAAA1"
}

import {
  to = tfe_variable_set._1_uni
  id = "varset-AAAAAAAAAAAAAAA2"
}

resource "tfe_workspace_variable_set" "_1_uni_pay" {
  variable_set_id = tfe_variable_set._1_uni.id
  workspace_id    = "ws-AAAAAAAAAAAAAAA1"
}

import {
  to = tfe_workspace_variable_set._1_uni_pay
  id = "acme/pay/1/ünï"
}

resource "tfe_variable_set" "all" {
  name         = "all"
  organization = "acme"
  global       = true
  priority     = true
}

import {
  to = tfe_variable_set.all
  id = "varset-AAAAAAAAAAAAAAA3"
}

resource "tfe_variable_set" "aws" {
  name         = "aws"
  description  = "Of the \"role\" $${x}."
  organization = "acme"
}

import {
  to = tfe_variable_set.aws
  id = "varset-AAAAAAAAAAAAAAA1"
}

resource "tfe_variable" "aws_A" {
  key             = "A"
  value           = "1"
  category        = "env"
  description     = "First."
  variable_set_id = tfe_variable_set.aws.id
}

import {
  to = tfe_variable.aws_A
  id = "acme/varset-AAAAAAAAAAAAAAA1/var-AAAAAAAAAAAAAAA1"
}

resource "tfe_variable" "aws_S" {
  key             = "S"
  category        = "env"
  sensitive       = true
  variable_set_id = tfe_variable_set.aws.id

  lifecycle {
    ignore_changes = [value]
  }
}

import {
  to = tfe_variable.aws_S
  id = "acme/varset-AAAAAAAAAAAAAAA1/var-AAAAAAAAAAAAAAA2"
}

resource "tfe_variable" "aws_h" {
  key             = "h"
  value           = "{ a = \"$$${b}\" }"
  category        = "terraform"
  hcl             = true
  variable_set_id = tfe_variable_set.aws.id
}

import {
  to = tfe_variable.aws_h
  id = "acme/varset-AAAAAAAAAAAAAAA1/var-AAAAAAAAAAAAAAA3"
}

resource "tfe_workspace_variable_set" "aws_web" {
  variable_set_id = tfe_variable_set.aws.id
  workspace_id    = "ws-AAAAAAAAAAAAAAA2"
}

import {
  to = tfe_workspace_variable_set.aws_web
  id = "acme/web/aws"
}

resource "tfe_project_variable_set" "aws_prj-AAAAAAAAAAAAAAA1" {
  variable_set_id = tfe_variable_set.aws.id
  project_id      = "prj-AAAAAAAAAAAAAAA1"
}

import {
  to = tfe_project_variable_set.aws_prj-AAAAAAAAAAAAAAA1
  id = "acme/prj-AAAAAAAAAAAAAAA1/aws"
}
