/** The environment variables that the program reads. A test compares the names with the sources. */
export const ENVIRONMENT = [
  ['SETPOINT_ADDRESS', 'The service, such as `https://tfe.example.com`. `--address` comes before it.'],
  [
    'SETPOINT_TOKEN',
    'The token. There is no flag for it: arguments are seen by every process of the machine.',
  ],
  ['TFE_ADDRESS', 'The service, where `SETPOINT_ADDRESS` is not set.'],
  ['TFE_HOSTNAME', 'Its host alone, where neither of the two is set.'],
  ['TFE_TOKEN', 'The token, where `SETPOINT_TOKEN` is not set.'],
  [
    'TF_TOKEN_<host>',
    'A token for one host, and never sent to another: `_` stands for a dot, `__` for a hyphen.',
  ],
  ['TF_CLI_CONFIG_FILE', 'A credentials file, instead of those that `terraform login` writes.'],
  ['SETPOINT_ORGANIZATION', 'The organization that the files have to be for; anything else is refused.'],
  ['SETPOINT_SECRET_<NAME>', 'The value of `secret: NAME`, where `--secrets` does not have it.'],
  [
    'SETPOINT_FINGERPRINT_KEY',
    'At least 32 characters. With it and an `owner`, a changed value of a secret is noticed by its keyed fingerprint.',
  ],
  ['SETPOINT_FINGERPRINT_KEY_PREVIOUS', 'The key before it, while the key is changed.'],
  ['SETPOINT_APPROVE', 'A digest, as with `--approve`; without a terminal all 64 digits.'],
  [
    'SETPOINT_COMMENT_TOKEN',
    'The token of `setpoint comment`, before the names that the forges have for it.',
  ],
  [
    'SETPOINT_FORGE_TOKEN',
    'The token of `setpoint reviewed`, which only reads, before the names that the forges have for one.',
  ],
  ['GITHUB_TOKEN', 'The same on GitHub, where neither of them is set; then `GH_TOKEN`.'],
  ['GITLAB_TOKEN', 'The same on GitLab, where neither of them is set.'],
  [
    'GITHUB_ACTIONS',
    '`true`: diagnostics are annotations as well. What else `setpoint comment` reads of a pipeline is in [ci.md](../ci.md).',
  ],
  ['GITHUB_STEP_SUMMARY', 'A report in this file is appended, where any other replaces its file.'],
  [
    'SETPOINT_SANDBOX_FILE',
    'Where `--sandbox` keeps its state; otherwise `.setpoint/sandbox` beside the configuration.',
  ],
  ['SETPOINT_TOOL', "The interface's name of the category `terraform`, where a service calls it otherwise."],
  [
    'SETPOINT_PARSER',
    '`whole`: every file goes through the whole YAML parser, and none through the quick reader of plain files. The result is the same.',
  ],
  [
    'HTTPS_PROXY',
    'A proxy; `HTTP_PROXY` and `NO_PROXY` likewise, in either case. `http://` may be left out.',
  ],
  ['NODE_EXTRA_CA_CERTS', 'Certificates to trust beside the usual ones (PEM).'],
  [
    'NODE_COMPILE_CACHE',
    'Where Node 22.1 and later keep compiled code; otherwise `setpoint` in `XDG_CACHE_HOME` or `~/.cache`. `NODE_DISABLE_COMPILE_CACHE=1`: nowhere.',
  ],
  ['NO_COLOR', 'No colour. `FORCE_COLOR`: colour, even where the output is no terminal.'],
]
