import { Findings } from '../model/findings.ts'
import { DEFAULT_LIMITS } from './limits.ts'
import { readPlainBlocks } from './plain-blocks.ts'
import { readSetFile, type SetFile } from './set-file.ts'
import { textOfFile } from './source-file.ts'

/**
 * A set file as it was at some time, as far as it can be read; `undefined` if nothing can. Mistakes are not reported, because nobody can
 * correct them any more, and files that it names are not read: the text of such a value is empty, and its path relative to this file.
 */
export async function readPastSetFile(bytes: Uint8Array): Promise<SetFile | undefined> {
  const findings = new Findings()
  const file = textOfFile('', bytes, findings)
  const plain = file && readPlainBlocks(file.text, DEFAULT_LIMITS)
  const tree = plain ?? (file && (await import('./parse.ts')).parseFile(file, DEFAULT_LIMITS, findings)?.tree)
  if (file === undefined || tree === undefined) return undefined
  return readSetFile(tree, { file, findings, textOf: () => '' })
}
