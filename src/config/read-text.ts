import { type Checked, hasErrors } from '../model/diagnostic.ts'
import { Findings } from '../model/findings.ts'
import { checkForm } from './form.ts'
import { DEFAULT_LIMITS } from './limits.ts'
import { parseFile } from './parse.ts'
import { readSetFile, type SetFile } from './set-file.ts'
import { setsForm } from './sets-valid.gen.ts'
import { textOfFile } from './source-file.ts'
import { checkKeys } from './tree.ts'

/**
 * Reads a set file from its text alone, to check a file before it is written. `file:` has no text here, and rules across files
 * are not checked.
 */
export function readSetText(path: string, text: string): Checked<SetFile> {
  const findings = new Findings()
  const value = read(path, text, findings)
  const { diagnostics } = findings
  return { value: hasErrors(diagnostics) ? undefined : value, diagnostics }
}

function read(path: string, text: string, findings: Findings): SetFile | undefined {
  const file = textOfFile(path, new TextEncoder().encode(text), findings)
  const tree = file && parseFile(file, DEFAULT_LIMITS, findings)?.[0]
  if (file === undefined || tree === undefined) return undefined
  checkKeys(tree, file, findings)
  checkForm(tree, setsForm, file, findings)
  return readSetFile(tree, { file, findings, textOf: () => undefined })
}
