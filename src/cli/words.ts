const ADD = 'To create a set: write it in a set file, then plan and apply (docs/files.md).'
const DELETE = 'To delete a set: write its name below `removed:` in a set file, then plan and apply.'
const LIST = 'To list the sets of the organization as files: setpoint export'
const LOGIN =
  'There is no login: Setpoint reads a token from TFE_TOKEN, or where terraform login wrote it (docs/connect.md).'
const UNDO = 'To undo an apply: revert the change of the files, then plan and apply (docs/wrong-apply.md).'
const WRITE = 'To write the files to the service: setpoint plan, then setpoint apply'

/**
 * Words that the command line does not know, each with a sentence that says what to do instead: commands (`status`) and options
 * (`--dry-run`, also for `-dry-run`) of other programs, and what version 0.3.0 withdrew. An option that only one command lost
 * stands behind its name: `affected --part`. A row of the changelog's table *gone → instead* that begins with a command or an
 * option has its sentence here (`test/readme.test.ts`). Keys of files: `HINTS` in `src/config/form-hints.ts`.
 */
export const WORDS: Readonly<Record<string, string>> = {
  // Commands of other programs.
  add: ADD,
  auth: LOGIN,
  check: 'To check the files: setpoint validate. To compare the service with them: setpoint drift',
  create: ADD,
  delete: DELETE,
  deploy: WRITE,
  destroy: DELETE,
  diff: 'To see what an apply would change: setpoint plan. What was changed by hand: setpoint drift',
  fmt: 'Setpoint leaves the form of your files alone. To check them: setpoint validate',
  format: 'Setpoint leaves the form of your files alone. To check them: setpoint validate',
  get: 'To see what a workspace receives: setpoint explain WORKSPACE. All sets as files: setpoint export',
  lint: 'To check the files: setpoint validate',
  list: LIST,
  login: LOGIN,
  ls: LIST,
  new: ADD,
  preview: 'To see what an apply would change: setpoint plan',
  pull: 'To write live values to the files: setpoint export --update SET',
  push: WRITE,
  refresh: 'There is no state to refresh: every plan reads the service.',
  remove: DELETE,
  rm: DELETE,
  rollback: UNDO,
  state: 'There is no state. To see what the service has: setpoint export',
  status:
    'To compare the service with the files: setpoint drift. To see what an apply would change: setpoint plan',
  sync: WRITE,
  undo: UNDO,
  up: WRITE,
  version: 'To print the version: setpoint --version',

  // Options of other programs.
  '--check': 'To end with 2 if there are changes: setpoint plan --detailed-exitcode, or setpoint drift',
  '--chdir': 'To run in another directory: -C DIRECTORY.',
  '--debug': 'To see each request: --verbose',
  '--dry-run': 'setpoint plan shows what an apply would do, and writes nothing.',
  '--force':
    'Nothing is forced. To apply what a guard blocks: setpoint apply --approve DIGEST, with the digest of the plan.',
  '--json': 'For JSON: --format json',
  '--organization': 'The organization is in the configuration: `organization: NAME` in setpoint.yaml.',
  '--output': 'For another form: --format FORMAT. To save a plan: --out FILE',
  '--parallelism': 'For parallel requests: --concurrency NUMBER.',
  '--prune': 'To delete sets that no file declares any more: `prune: true` in setpoint.yaml.',
  '--recursive': 'The key `sets` of setpoint.yaml says which files are read, such as sets/**/*.yaml.',
  '--replace': 'To write the secrets of a set again: --rewrite SET or --rewrite SET/KEY.',
  '--target': 'To select sets: --only NAME.',
  '--token':
    'A token is never a flag, because other users of a machine see flags. Pass it in the environment: SETPOINT_TOKEN',
  '--v': 'For the version: setpoint --version. For more in the report: --verbose',
  '--var': 'Values are in the files, and secrets come from a source: --secrets SOURCE',
  '--var-file': 'To turn a file of values into a set: setpoint import FILE.',
  '--y': 'To apply or release without a question: --auto-approve',
  '--yes': 'To apply or release without a question: --auto-approve',

  // Withdrawn by 0.3.0.
  reviewed:
    'After a merge: setpoint ci plan, then setpoint ci apply. In place of `reviewed --tip`: setpoint ci tip',
  '--blame':
    '`explain --verbose` names the file and line that gives a value. Then: git blame -L LINE,LINE FILE',
  '--keep':
    'Put the value into the source of the secret and raise its version; it is sent once more. Moving a set to another owner needs nothing.',
  '--events': 'The report has the outcome of every step, also after a signal: --report json=FILE',
}

/** What to do instead of a command, or of an option of a command as it was typed (`-target`, `--target`). */
export function insteadOf(command: string, option?: string): string | undefined {
  if (option === undefined) return sentenceOf(command)
  const long = `--${option.replace(/^-+/, '')}`
  return sentenceOf(`${command} ${long}`) ?? sentenceOf(long)
}

const sentenceOf = (word: string): string | undefined =>
  Object.hasOwn(WORDS, word) ? WORDS[word] : undefined
