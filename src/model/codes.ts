/**
 * All codes of diagnostics with their meanings, under the headings of docs/reference/diagnostics.md. Stable and safe to match on:
 * messages may be reworded, codes may not. Nothing reads this at run time, so it is not in the bundle.
 */
export const CODES = {
  'Files and YAML': {
    'no-configuration': 'There is no `setpoint.yaml` in the directory (`-C`) or at the path (`--config`).',
    'unreadable-file':
      'A file is missing, is not a regular file, cannot be read because of its permissions, or is not UTF-8 text.',
    'file-limit':
      'A file is too large, too deep or has too many tokens, there are too many files, or all files together have too many characters after bases, groups and `file:` (`--limit`).',
    'yaml-syntax':
      'The file is not valid YAML, or it has an unresolved merge conflict, a control character or invalid UTF-8.',
    'yaml-feature':
      'Anchors, aliases, merge keys, tags and multiple documents are not supported: configuration is data. Use `from:` instead of `<<`.',
    'no-set-files': 'A pattern of `sets:` or `groups:` matches no file.',
    'outside-repository':
      'A path or a link leads out of the Git repository or into `.git`, or a pattern would enter a directory that is not read: a link, or one that cannot be read.',
    'untracked-file':
      '`file:` names a file that Git does not track, or Git is not available. If the file belongs to the repository, run `git add`.',
    'secret-file':
      'A configuration file, or a file that `file:` names, is also a file that this run takes secrets from; or Git tracks the source of `--secrets`.',
  },
  'Structure of a document': {
    'unknown-key': 'A key is not known here, often because of a typo.',
    'misplaced-key':
      'A key of a set, such as `terraform`, is among the variables of `env` or `terraform`. It is a warning if the key can be the name of a variable.',
    'missing-key':
      'A required key is missing, also the list of a set that a workspace or project lists; or a file is empty.',
    'wrong-type': 'A value has the wrong type, such as a list instead of a map.',
    'wrong-value': 'A value is not allowed here. As a warning: a key looks misleading.',
    'null-value': 'A key has no value (`KEY:`, `~`, `null`). Quote it, or write `""` for an empty string.',
    'duplicate-key': 'A map has the same key twice.',
    'invalid-hcl':
      'A `data:` value cannot be written as HCL, or `hcl:` code has an unclosed bracket, quote, heredoc or comment.',
    'service-limit':
      'Warning: the API allows the value, but HCP Terraform is known to refuse it. To accept it, write `accept: [service-limit]` at the variable.',
    'literal-reference':
      'Warning: a value contains `${{ … }}` or `${NAME}`, which nothing replaces. To accept it, write `accept: [literal-reference]` at the variable.',
    'odd-text':
      'Warning: a name, a key or a PEM text is written in a form that is probably a mistake: characters that are invisible or look like others, whitespace at an end or doubled, a key that no environment or configuration can have, `TF_VAR_` and names such as `AWS_REGION` under `terraform`, a value in typographic quotes, `SETPOINT_SECRET_` in the name of a secret, PEM without its line breaks. To accept it, write `accept: [odd-text]`.',
    'looks-like-a-secret':
      'A readable value contains a credential: as an error, if its format is known (a token, a private key, a password hash); as a warning, if a suspicious name has a random value, or one that a person may have chosen. JSON, base64, connection strings, settings and the like are searched (docs/secrets.md, Readable credentials). Also if the service shows a secret of this run in a readable value. If it is not a secret, write `accept: [looks-like-a-secret]` beside it.',
  },
  'Across documents': {
    'duplicate-set':
      'A set, base, group, rule or removal is declared twice, or one key identifies two sets. As a warning: two names look alike.',
    'duplicate-target': 'A set is assigned twice to the same workspace, project or Stack.',
    'global-conflict':
      'Two global sets would have the same key and category, which the service refuses. Sets of other owners count too.',
    'global-with-assignments':
      'Warning: a global set reaches all workspaces, so its assignments have no effect while it is global.',
    'global-with-project': 'A set is global and belongs to a project, which no service allows.',
    'unknown-base': '`from:` names a base that no file declares.',
    'required-value': 'A set does not provide a variable that its base requires.',
    'empty-group':
      'A group has no workspaces, or its selection matches none, and it does not say `allowEmpty`.',
    'removed-and-declared':
      'A set is listed under `removed`, by its name or id, and also declared or renamed.',
    'previous-name-declared': 'A previous name is declared as a set, used by two sets, or written twice.',
    'not-owned': 'A set matches no pattern of `owns`.',
    'owned-by-another': 'The inventory of another owner lists the set. This run leaves it to that owner.',
    'moved-to-another':
      'Warning: another owner has adopted a set that your files still declare. This run leaves it to that owner.',
    'reserved-name': 'The name is reserved for inventories.',
    'needs-owner': 'The files use a feature that needs an inventory. Set `owner` in `setpoint.yaml`.',
  },
  Rules: {
    'no-rules': 'A directory of `--rules` has no rule file, or `rules` is not a directory.',
    'unknown-rule': 'A case expects a rule that does not exist.',
    'case-failed': 'A case of `setpoint test` fails.',
    'rule-expression':
      'An expression of a rule is not valid CEL, uses an unknown name, or is not true or false. See docs/rules.md.',
    'rule-violated':
      'The plan violates a rule: a warning for the level `warn`, an error for the level `error`.',
    'rule-failed':
      'A rule could not be evaluated, for example because it reads a missing field without `has()`.',
    'rule-too-expensive': 'A rule was stopped because it took too much time or memory.',
  },
  'Names and ids': {
    'unknown-name': 'No workspace, project, Stack or group has this name, or the files declare no set of it.',
    'unknown-id':
      'A set file assigns an id that the service does not show to this token. As a warning: so does a group.',
    'ambiguous-name': 'Several workspaces, projects or Stacks have this name. Use the id.',
    'renamed-member':
      'Warning: a workspace of a group has another name in the service, or another workspace has its name, so the set is not assigned to it.',
    'no-look-up':
      'The service does not show this token its workspaces or projects. Use ids, or a token that may read them.',
    'no-stacks':
      'A file names a Stack, but the service has no Stacks, shows none to this token, or only counts them. Reported once.',
    'no-projects': 'A file names a project, but the service has none.',
    'no-project-sets':
      'A file sets `project`, but the service does not return which project owns a set. Reported once.',
    'unknown-audience':
      '`setpoint affected` cannot list all affected workspaces: the service does not show this token workspaces, Stacks or their projects.',
  },
  'Comparison with the live state': {
    'unknown-set-id': 'A set is pinned to an id that the service does not show.',
    'ambiguous-set': 'The service has several sets with this name. Pin one by its id.',
    'rename-both-exist':
      'Warning: a set with the new name and one with the previous name both exist, so nothing is renamed; or a second previous name has a set, too.',
    'probable-rename':
      'Warning: a set is created that looks like one that leaves the files, and would lose its secrets. `previousNames` renames it instead.',
    'missing-inventory':
      'Warning of `drift` and `--expect-no-drift`: the service has no inventory of the owner. `--expect-no-drift` refuses to change sets that exist.',
    'name-clash': 'A set that this plan does not manage already has the new name.',
    'name-cycle': 'Swapped names cannot be put in order. First rename one of the sets to a third name.',
    'foreign-set':
      'Another project, or the organization, owns the set that a file declares. The owner never changes: keep it, or create a new set.',
    'outside-project': 'A set of a project is assigned outside that project.',
    'stored-otherwise':
      'The service stores a name, a key or a value in another form than the file has it, such as without whitespace or in lower case. An error if the plan would create a set or variable that the service would store under the name of an existing one. The hint says what to write.',
    'not-sent':
      'Warning: the file has a secret for an existing variable, and no write of it is recorded. So it is unknown whether the service has this value, and it is not sent. The hint has the lines that send it. To accept it: `accept: [not-sent]` at the variable.',
    'hcl-of-secret':
      'Warning: a sensitive variable is HCL code in the service but not in the file, or the reverse. Use `hcl: true` in the file for HCL code.',
    'unmatched-selection':
      'A pattern of `--only`, `--adopt` or `--update` matches no set or group, or one of `--rewrite` no secret. As a warning: one of `protect` matches no set, or one of a group no workspace.',
    'nothing-to-remove': 'A set under `removed` does not exist, or no longer exists.',
    'incomplete-listing':
      'Two consecutive lists of the service differ, so nothing is deleted or unassigned. Run it again.',
    'left-behind': 'A change removes a set from the files, but nothing deletes it from the service.',
    'behind-base': 'The branch lacks commits of its base, so the plan would show their changes as reverted.',
    'unknown-base-commit': 'The commit that `--base` names does not exist, or Git is not available.',
    'broken-base':
      'Warning: the files in the base of a change are not valid, so nothing is compared with them. As an error: its rule files cannot be read, so there is no plan.',
    'needs-drift':
      'With `--only-this-change`, the change edits a set that the service lacks, or one that differs and no inventory lists.',
    'not-in-snapshot': 'The files refer to a set of which the snapshot has only the name.',
    'snapshot-age': 'The age of the snapshot that the plan was made from.',
    'bad-snapshot':
      'The file is not a snapshot, is truncated, or belongs to another organization or address.',
    'readable-values':
      'A snapshot contains values that are not secret. Everybody who gets the file can read them.',
    'no-permission':
      'According to the service, the token may not change a set of the plan. A plan warns, and an apply stops before its first write. [Which token](../connect.md#tokens).',
  },
  Exports: {
    'not-written': 'Warning: the service has something that a file cannot express. The export leaves it out.',
    'file-exists': 'An export, `init` or `demo` would overwrite an existing file. Nothing was written.',
    'owner-in-use':
      'The owner that `init` would write already has an inventory, which may belong to another repository; or two configurations of one run have the same owner in one organization.',
    'second-configuration':
      'Warning: `init` creates a `setpoint.yaml` below another one in the same repository.',
    'stale-schema':
      'Warning of `validate`: the copies of the schemas in `.setpoint-schemas/` are those of another version of Setpoint. [Your editor](../files.md#your-editor).',
    'state-format':
      'The Terraform state cannot be read: it has an unknown format or version, is encrypted, is truncated, or is not JSON.',
    'state-incomplete': 'Warning: the Terraform state has an entry whose set or meaning it does not contain.',
    'half-owned-set': 'The Terraform state has variables or assignments of a set that another state manages.',
    'several-hosts':
      'The Terraform state has sets of several provider configurations, and each may be another host.',
  },
  'Values and connection': {
    'missing-secret': 'This run has no value for a secret that it needs to send.',
    placeholder:
      'The value of a secret that would be sent is a mask or an unresolved reference, such as `***` or `$NAME`.',
    'secret-syntax': 'The source of `--secrets` cannot be read, or contains a value that is not a string.',
    'secret-white-space': 'Warning: a secret begins or ends with whitespace, or is in quotes.',
    'no-token':
      'There is no token for the address or the organization, or it contains a character that is not allowed in a token.',
    'bad-address': 'The address is malformed, or could send the token to another host or unencrypted.',
    'service-failure': 'An external failure: the network, a refused request, or an unexpected response.',
    refused:
      'Not confirmed: blocked by a guard, another digest, no terminal to ask, or a plan file that is stale, truncated or modified.',
    'bad-usage':
      'The command line is not valid. As a warning: an environment variable has nearly the name of one that is read.',
    'port-in-use': 'The sandbox cannot listen: another program uses the port.',
    'organization-mismatch': 'The files and `SETPOINT_ORGANIZATION` are for different organizations.',
    'missing-organization':
      'The service lists no sets, and shows no organization with this name. Nothing is planned or written.',
    'unwritable-file':
      'A file or a directory cannot be written: its permissions, a full disk, or a symbolic link in the way.',
  },
}

type CodesByHeading = { [Heading in keyof typeof CODES]: keyof (typeof CODES)[Heading] }

export type DiagnosticCode = CodesByHeading[keyof typeof CODES]
