/** The environment variables that the program reads. A test compares the names with the sources. */
export const ENVIRONMENT = [
  [
    'SETPOINT_ADDRESS',
    'The address of the service, such as `https://tfe.example.com`, unless `--address` is set.',
  ],
  [
    'SETPOINT_TOKEN',
    'The token. There is no flag for it, because every process of the machine can see arguments.',
  ],
  [
    'SETPOINT_TOKEN_<ORGANIZATION>',
    'The token of one organization: its name in upper case, with `_` for every other character. If one is set, every organization needs its own.',
  ],
  ['TFE_ADDRESS', 'The address of the service, if `SETPOINT_ADDRESS` is not set.'],
  ['TFE_HOSTNAME', 'Only the host of the service, if neither address is set.'],
  ['TFE_TOKEN', 'The token, if `SETPOINT_TOKEN` is not set.'],
  [
    'TF_TOKEN_<host>',
    'A token for one host, never sent to another. In the name, `_` stands for a dot and `__` for a hyphen.',
  ],
  ['TF_CLI_CONFIG_FILE', 'A credentials file, instead of those that `terraform login` writes.'],
  ['SETPOINT_ORGANIZATION', 'The required organization of the files. Files for another one are refused.'],
  ['SETPOINT_SECRET_<NAME>', 'The value of `secret: NAME`, unless `--secrets` contains it.'],
  [
    'SETPOINT_FINGERPRINT_KEY',
    'At least 32 characters. With this key and an `owner`, Setpoint detects changed values of secrets by keyed fingerprints.',
  ],
  ['SETPOINT_APPROVE', 'A digest, as for `--approve`. Without a terminal, all 64 digits are required.'],
  [
    'SETPOINT_COMMENT_TOKEN',
    "The token of `setpoint comment`. Takes precedence over the forges' own variables.",
  ],
  [
    'SETPOINT_BOT_TOKEN',
    'The token of `setpoint ci report` for the request that updates groups: never that of the job, because its requests start no pipeline.',
  ],
  [
    'SETPOINT_ALONE',
    'With `true`, `setpoint ci apply` on GitLab accepts the approval of the person who started the pipeline. Set it as a protected variable, and only without a second person.',
  ],
  [
    'SETPOINT_CI_EVENT',
    'Elsewhere than on GitHub and GitLab, what `setpoint ci` runs for: `pull`, `main` or `schedule`.',
  ],
  [
    'SETPOINT_CI_DIR',
    'With `SETPOINT_CI_EVENT`, an absolute path outside of the repository, where the jobs of one pipeline hand over their results.',
  ],
  [
    'SETPOINT_CI_BASE',
    'With `SETPOINT_CI_EVENT`, the base of the plan: the branch that is merged into; with `main`, the commit that was applied last.',
  ],
  [
    'SETPOINT_FORGE_TOKEN',
    "The read-only token of `setpoint ci plan` and `setpoint ci apply` for the forge. Takes precedence over the forges' own variables.",
  ],
  ['GITHUB_TOKEN', 'The token on GitHub, if neither of them is set; after it `GH_TOKEN`.'],
  ['GITLAB_TOKEN', 'The token on GitLab, if neither of them is set.'],
  [
    'GITHUB_ACTIONS',
    'If `true`, diagnostics are also annotations. [ci.md](../ci.md) lists the other variables that `setpoint comment` reads.',
  ],
  ['GITHUB_STEP_SUMMARY', 'A report to this file is appended. Every other report replaces its file.'],
  [
    'SETPOINT_SANDBOX_FILE',
    'The state file of `--sandbox`. Default: `.setpoint/sandbox` next to the configuration.',
  ],
  [
    'SETPOINT_SANDBOX_SEED',
    'The seed of `--sandbox`: its workspaces, projects and Stacks. Without it, the sandbox makes what the files name. [sandbox.md](../sandbox.md#inside-other-commands).',
  ],
  ['SETPOINT_TOOL', "The service's name of the category `terraform`, if it uses another one."],
  [
    'HTTPS_PROXY',
    'A proxy, and `NO_PROXY` what is reached without it, as Terraform reads them, in upper or lower case: [start.md](../connect.md#proxies-and-certificates).',
  ],
  [
    'NODE_EXTRA_CA_CERTS',
    'A file with certificate authorities to trust in addition (PEM): [start.md](../connect.md#proxies-and-certificates).',
  ],
  [
    'NODE_COMPILE_CACHE',
    'The directory in which Node 22.1 and later cache compiled code. Default: `setpoint` in `XDG_CACHE_HOME` or `~/.cache`. `NODE_DISABLE_COMPILE_CACHE=1` turns the cache off.',
  ],
  ['NO_COLOR', 'Turns colour off. `FORCE_COLOR` turns it on, even if the output is not a terminal.'],
]
