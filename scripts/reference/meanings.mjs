/** One line for each of `DIAGNOSTIC_CODES`. */
export const MEANINGS = {
  'no-configuration': 'There is no `setpoint.yaml` where it was looked for (`-C`, `--config`).',
  'unreadable-file': 'A file is missing, is no regular file, may not be read, or is not text in UTF-8.',
  'file-limit':
    'A file, a map or all files together are larger or deeper than what is read, or ask for more than what is taken with bases and `file:` in place (`--limit`).',
  'yaml-syntax':
    'The file is not YAML, or holds an unresolved merge conflict, a control character or broken UTF-8.',
  'yaml-feature':
    'Anchors, aliases, merge keys, tags, several documents: configuration is data. For `<<` use `from:`.',
  'merge-conflict': 'A file that `file:` reads holds an unresolved merge conflict.',
  'no-set-files': 'A pattern of `sets:` matches no file.',
  'unread-file':
    'Warning: a file that a pattern of `sets:` would mean if it ended in `.yaml` and not in `.yml`, or the other way round. It is not read.',
  'outside-repository': 'A path, or a link, leads out of the Git repository, or into `.git`.',
  'untracked-file':
    '`file:` names a file that Git does not track, or Git cannot be asked. Run `git add` where it belongs to the repository.',
  'secret-file':
    'A file of configuration, or one that `file:` names, is one that this run takes secrets from.',
  'unknown-key': 'A key that means nothing at its place; often a typing mistake.',
  'misplaced-key':
    'A key of a set, such as `terraform`, stands among the variables of `env` or `terraform`; as a warning, where it may be the name of a variable.',
  'missing-key': 'Something that has to be written is not, or a file is empty.',
  'wrong-type': 'A list where a map belongs, a map where a text belongs, and so on.',
  'wrong-value': 'A value that is not possible at its place; as a warning, a key whose look is misleading.',
  'null-value': 'A key without a value (`KEY:`, `~`, `null`). Quote it, or write `""` for the empty text.',
  'duplicate-key': 'A key stands twice in one map.',
  'invalid-hcl':
    'A `data:` value that has no form in HCL, or `hcl:` code with a bracket, quote, heredoc or comment that is not closed.',
  'service-limit':
    'Warning: the interface allows it, and HCP Terraform is known to refuse it. `accept: [service-limit]` at the variable takes note of it.',
  'unused-accept': 'Warning: `accept` names the code of a warning that is not given there.',
  'duplicate-set':
    'One set, base or removal is declared twice, or one key stands for two sets; as a warning, two names that look alike.',
  'duplicate-target': 'A set names one workspace, project or Stack twice.',
  'global-conflict':
    'A key and category would be in two global sets. The service refuses that; sets that are not yours count.',
  'global-with-project': 'A set is global and owned by a project, which no service takes.',
  'global-with-assignments':
    'Warning: a global set reaches all workspaces, so its own assignments mean nothing for now.',
  'unknown-base': '`from:` names a base that no file has.',
  'required-value': 'A set does not give what its base requires.',
  'removed-and-declared': 'A set is to be removed, and is declared or renamed as well.',
  'same-keys': 'Sets of a family that `same-keys` names differ in their keys, or none matches its pattern.',
  'previous-name-declared': 'A previous name is declared as a set, claimed by two sets, or written twice.',
  'not-owned': 'A set outside of the patterns of `owns`.',
  'moved-to-another':
    'Warning: another owner has taken a set over from us that our files still declare. It is left to them.',
  'owned-by-another': 'A set is in the inventory of another owner, and left to it.',
  'reserved-name': 'A name that is reserved for inventories, or for a set that is being replaced.',
  'needs-owner': 'The files ask for something that only an owner with an inventory can have.',
  'unknown-name': 'No workspace, project or Stack has this name.',
  'unknown-id': 'A set file assigns an id that the service does not show to this token.',
  'ambiguous-name': 'Several workspaces, projects or Stacks have this name. Write the id.',
  'stale-name': 'The directory file lists a name with another id than the service, or the name is gone.',
  'no-look-up':
    'The service does not list its workspaces and projects for this token. Write ids, or keep a directory file.',
  'no-stacks':
    'A file names a Stack, but the service has no Stacks, shows none to this token, or only counts them. Reported once.',
  'no-project-sets':
    'A file gives a set to a project with `project`, and the service does not say which project owns a set. Said once.',
  'unknown-set-id': 'A set is pinned to an id that the service does not show.',
  'ambiguous-set': 'The service has several sets of this name: pin one by its id.',
  'rename-both-exist': 'Warning: the new and the previous name both exist, so nothing is renamed.',
  'name-clash': 'A new name belongs already to a set that this plan does not manage.',
  'name-cycle': 'Names that are swapped cannot be put in order: rename one of them to a third name first.',
  'foreign-set': 'A set that is pinned by its id has another owner than the file says.',
  'outside-project': 'A set of a project is assigned outside of that project.',
  'external-missing':
    'Warning: an `external` variable is not there yet. It is never created: set it in the service.',
  'stored-otherwise':
    'Warning: the service holds a value with other line ends than the file, or without its final newline.',
  'unmatched-rewrite': 'A pattern of `--rewrite` matches no secret of the files, or none within `--only`.',
  'unknown-removed':
    'A set under `removed` is not there, never was in the history of the files, and has nearly the name of one that nothing else speaks of.',
  'nothing-to-remove': 'A set under `removed` is not there (any more).',
  'hcl-of-secret':
    'Warning: a sensitive variable is HCL code in the service and not in the file, or the other way round. Only `hcl: true` in the file says it.',
  'unmatched-selection': 'A pattern of `--only` or `--adopt` matches no set of the files.',
  'left-behind': 'A set that the base of a change declares is in no file any more, and nothing deletes it.',
  'behind-base': 'The branch lacks commits of its base: what those changed reads as if it were taken back.',
  'unknown-base-commit': 'The commit that `--base` names, or git itself, is not there.',
  'not-in-snapshot': 'The files mean a set of which the snapshot holds only the name.',
  'snapshot-age': 'How old the snapshot is that the plan was made from.',
  'bad-snapshot': 'The file is no snapshot, was cut, or is of another organization or address.',
  'readable-values': 'A snapshot holds values that are no secrets; whoever gets the file can read them.',
  'broken-base': 'The files of the base of a change are not valid, so nothing is compared with them.',
  'incomplete-listing': 'Two consecutive lists differ, so nothing is deleted or unassigned. Run it again.',
  'no-permission':
    'The service says that the token may not change a set of the plan: a warning of a plan, and the end of an apply before its first write. [Which token](../tokens.md).',
  'not-written':
    'Warning: a file cannot hold something that the service has. It is left out of an export, and said.',
  'file-exists': 'A file that an export or `init` would write is there already. Nothing was written.',
  'second-configuration':
    'Warning: `init` writes a `setpoint.yaml` below another one of the same repository.',
  'owner-in-use':
    'The owner that `init` would write has an inventory already: it may belong to another repository.',
  'state-format': 'A Terraform state cannot be read: another format or version, encrypted, cut, or no JSON.',
  'state-incomplete':
    'Warning: a Terraform state has something whose set, or whose meaning, it does not have.',
  'missing-secret': 'This run has no value for a secret that it has to send.',
  'secret-syntax': 'The source of `--secrets` cannot be read, or holds something that is no text.',
  'secret-white-space': 'Warning: a secret begins or ends with whitespace.',
  'looks-like-a-secret':
    'A readable value has the shape of a token or a private key; as a warning, it looks random, or like a password that a person made up, under a telling name. `notSecret: true` beside it says that it is none.',
  'no-token': 'There is no token for the address, or it contains a character that is not allowed in a token.',
  'bad-address': 'The address is malformed, or could send the token elsewhere or unencrypted.',
  'service-failure':
    'A failure outside of the program: network, a refused request, an unexpected response, a file that cannot be written.',
  refused:
    'No consent: a guard, another digest, no terminal to ask, or a plan file that is stale, cut or edited.',
  'bad-usage': 'The command line asks for something that there is not.',
  'organization-mismatch':
    'The files, the directory file and `SETPOINT_ORGANIZATION` are not for the same organization.',
}

/** One line for each code of a block in src/plan/plan.ts. */
export const GUARDS = {
  'reaches-workspaces': 'A set is deleted that still reaches a workspace or a project, or is global.',
  'reaches-others': 'A deleted set still reaches Stacks, or something that this version does not know.',
  'protected-name': 'A set is deleted whose name `guards.protect` matches.',
  'too-many-deletions':
    'More than `guards.deletions` (30 %) of the sets, variables or assignments that the files declare are deleted, from ten up; below, more than two sets.',
  'too-many-updates':
    'More than `guards.updates`, where it is written, of the sets or variables that the files declare are changed, from ten up.',
  'empty-desired-state': 'The files declare no set, but the plan deletes.',
  'adopts-different': 'A set that is in no inventory exists, and is not equal to what the files say of it.',
  'replaces-set': 'A set gets another owner, so that a new set takes its place.',
  'loosens-pruning': 'A change turns on pruning, which deletes sets.',
  'loses-secret': 'A secret would be lost that the files cannot bring back.',
}
