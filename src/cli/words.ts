/**
 * Words that the command line does not know, each with a sentence that says what to do instead: commands (`status`) and options
 * (`--dry-run`, also for `-dry-run`) of other programs, and what version 0.3.0 withdrew. An option that only one command lost
 * stands behind its name: `affected --part`. A row of the changelog's table *gone → instead* that begins with a command or an
 * option has its sentence here (`test/readme.test.ts`). Keys of files: `HINTS` in `src/config/form-hints.ts`.
 */
export const WORDS: Readonly<Record<string, string>> = {
  // Of other programs.
  '--chdir': 'To run in another directory: -C DIRECTORY, after the command.',
  '--replace': 'To write the secrets of a set again: --rewrite SET or --rewrite SET/KEY.',
  '--target': 'To select sets: --only NAME.',
  '--y': 'To apply without a question: setpoint apply --auto-approve.',
  '--yes': 'To apply without a question: setpoint apply --auto-approve.',

  // Withdrawn by 0.3.0.
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
