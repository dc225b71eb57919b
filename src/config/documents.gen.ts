// Generated from schemas/ by scripts/generate.mjs. Do not edit.

export declare namespace Setpoint {
/**
 * A pattern of set names: `*` stands for any text, `?` for one character.
 */
export type Pattern = string
/**
 * A relative path or pattern of paths, with `/` between directories.
 */
export type Path = string

/**
 * The root of a repository of variable sets, setpoint.yaml. The address of the service and the token never stand here: they come from flags and from the environment.
 */
export interface SetpointFile {
/**
 * Name of the organization that holds the sets: without spaces and `/ ? # %`, not beginning with a dot.
 */
organization: string
/**
 * Who this repository is among several that serve one organization: up to 63 letters, digits, `_` and `-`. Turns the inventory on.
 */
owner?: string
/**
 * Patterns of the set names that these files may declare, rename or remove; `*` stands for any text. Left out: any name.
 */
owns?: Pattern[]
/**
 * true: delete a set that our inventory lists, `owns` matches and no file declares.
 */
prune?: boolean
/**
 * Paths of the set files, relative to setpoint.yaml: one pattern or a list of patterns. `*` stays within a directory, `**` crosses directories. All must stay inside the Git repository.
 */
sets?: (Path | [Path, ...(Path)[]])
/**
 * A relative path or pattern of paths, with `/` between directories.
 */
directory?: string
guards?: Guards
/**
 * Patterns of set names: the sets that match one are a family and should have the same keys. Where they differ, a warning names the set that lacks a key and those that have it.
 */
"same-keys"?: Pattern[]
}
/**
 * Limits that mark a plan and block its apply until exactly this plan is approved.
 */
export interface Guards {
/**
 * Largest share of sets, variables or assignments that one apply may delete, in per cent, such as `30%`.
 */
deletions?: string
/**
 * Patterns of set names that nothing may delete.
 */
protect?: Pattern[]
}
}

export declare namespace Sets {
/**
 * A name: text that is not empty.
 */
export type Name = (string | number | boolean)
/**
 * A name or an id. What has the shape of an id is an id; `{ name: … }` forces a name.
 */
export type Reference = (Name | ForcedName)
/**
 * The value, or a map with exactly one of `value`, `secret`, `external`, `file`.
 */
export type EnvVariable = (Text | EnvironmentVariable)
/**
 * Text. A plain scalar is taken as it is written.
 */
export type Text = (string | number | boolean)
/**
 * What the variable is for.
 */
export type Description = (string | number | boolean)
/**
 * The value as text, readable by everybody. A secret never stands here.
 */
export type Value = (string | number | boolean)
/**
 * Which secret the variable gets. Where its value comes from is the run's affair.
 */
export type Secret = (SecretName | Secret1)
/**
 * The name of a secret, not the secret itself: letters, digits and `_`, not beginning with a digit.
 */
export type SecretName = string
/**
 * Only `true`: the value is set elsewhere and never sent; Setpoint keeps the rest.
 */
export type External = true
/**
 * Path of a text file inside the Git repository, relative to this file; its text is the value.
 */
export type File = string
/**
 * Only `true`: the value or the description looks like a secret and is none. Not beside `secret` or `external`.
 */
export type NotSecret = true
/**
 * The value, or a map with exactly one of `value`, `secret`, `external`, `hcl`, `data`, `file`.
 */
export type TerraformVariable = (Text | TerraformVariable1)
/**
 * HCL code as it stands.
 */
export type Hcl = (string | number | boolean)
/**
 * YAML data, written as HCL in the way of Terraform's jsonencode. Numbers keep their source text.
 */
export type Data = ({

} | unknown[] | string | number | boolean)
/**
 * The value, or a map with exactly one of `value`, `external`, `file`, `required`.
 */
export type BaseEnvVariable = (Text | EnvironmentVariableOfABase)
/**
 * Only `true`: each set that builds on the base must give this variable.
 */
export type Required = true
/**
 * The value, or a map with exactly one of `value`, `external`, `hcl`, `data`, `file`, `required`.
 */
export type BaseTerraformVariable = (Text | TerraformVariableOfABase)

/**
 * Variable sets, the bases they build on, and sets to delete. One file or thousands; a file may hold several sets. Plain scalars are taken as they are written: 1.10 stays 1.10.
 */
export interface SetFile {
/**
 * Variable sets by name.
 */
variableSets?: {
[k: string]: VariableSet
}
/**
 * Variables that several sets share, by name. A base is visible in all set files of the repository, so its name must be unique there.
 */
bases?: {
[k: string]: Base
}
/**
 * Sets to delete, by name or id. Needs no prune.
 */
removed?: Reference[]
}
/**
 * A variable set. Variables and settings are whole: what is not written has its default or is not there. `workspaces` and `projects` are managed only where they are written.
 */
export interface VariableSet {
/**
 * The set's name, where the key cannot be the name.
 */
name?: (string | number | boolean)
/**
 * What the set is for.
 */
description?: (string | number | boolean)
/**
 * true: the set applies to all workspaces of the organization.
 */
global?: boolean
/**
 * true: its variables override more specific scopes, values on the command line included.
 */
priority?: boolean
/**
 * Pins the set by its id where its name is ambiguous: `varset-` and letters and digits.
 */
id?: string
/**
 * Names that the set had: it is renamed instead of deleted and created.
 */
previousNames?: Name[]
/**
 * A name: text that is not empty.
 */
from?: (string | number | boolean)
/**
 * Workspaces that the set is assigned to. `[]`: none. Left out: not managed.
 */
workspaces?: Reference[]
/**
 * Projects that the set is assigned to. `[]`: none. Left out: not managed.
 */
projects?: Reference[]
/**
 * Environment variables by key.
 */
env?: {
[k: string]: EnvVariable
}
/**
 * Terraform variables by key.
 */
terraform?: {
[k: string]: TerraformVariable
}
}
/**
 * A name, also where it has the shape of an id.
 */
export interface ForcedName {
name: Name
}
/**
 * A map with exactly one of `value`, `secret`, `external`, `file`.
 */
export interface EnvironmentVariable {
description?: Description
value?: Value
secret?: Secret
external?: External
file?: File
notSecret?: NotSecret
}
/**
 * The name of a secret with its options.
 */
export interface Secret1 {
name: SecretName
/**
 * Changed by hand when the secret was rotated. Needs an inventory (`owner` in setpoint.yaml).
 */
version?: (string | number | boolean)
/**
 * true: the empty text is a value, not a missing secret.
 */
allowEmpty?: boolean
}
/**
 * A map with exactly one of `value`, `secret`, `external`, `hcl`, `data`, `file`.
 */
export interface TerraformVariable1 {
description?: Description
value?: Value
secret?: Secret
external?: External
hcl?: Hcl
data?: Data
file?: File
notSecret?: NotSecret
}
/**
 * Variables that several sets share. It holds no secrets and builds on no other base.
 */
export interface Base {
/**
 * Environment variables by key.
 */
env?: {
[k: string]: BaseEnvVariable
}
/**
 * Terraform variables by key.
 */
terraform?: {
[k: string]: BaseTerraformVariable
}
}
/**
 * A map with exactly one of `value`, `external`, `file`, `required`.
 */
export interface EnvironmentVariableOfABase {
description?: Description
value?: Value
external?: External
file?: File
notSecret?: NotSecret
required?: Required
}
/**
 * A map with exactly one of `value`, `external`, `hcl`, `data`, `file`, `required`.
 */
export interface TerraformVariableOfABase {
description?: Description
value?: Value
external?: External
hcl?: Hcl
data?: Data
file?: File
notSecret?: NotSecret
required?: Required
}
}

export declare namespace Directory {
/**
 * The id of a workspace: `ws-` and letters and digits.
 */
export type WorkspaceId = string
/**
 * The id of a project: `prj-` and letters and digits.
 */
export type ProjectId = string

/**
 * Names of workspaces and projects and their ids. Generated by `setpoint directory`; keep it in Git beside setpoint.yaml.
 */
export interface DirectoryFile {
/**
 * The organization that the ids belong to. Must be the one of setpoint.yaml.
 */
organization?: string
/**
 * Each workspace's name, with its id and, where known, the name of its project.
 */
workspaces?: {
[k: string]: WorkspaceId | DirectoryEntryOfAWorkspace
}
/**
 * Each project's name, with its id.
 */
projects?: {
[k: string]: ProjectId
}
}
/**
 * A workspace's id and the name of its project.
 */
export interface DirectoryEntryOfAWorkspace {
id: WorkspaceId
/**
 * The name of the workspace's project.
 */
project?: (string | number | boolean)
}
}
