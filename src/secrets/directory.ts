import { join } from 'node:path'
import { type ReadResult, readInside } from '../config/read.ts'
import { decode } from '../config/text.ts'
import { faultOf } from './fault.ts'

/** What a source says of one name: its text, why it cannot be had, or nothing. */
export type Found =
  | { readonly text: string }
  | { readonly problem: string; readonly hint?: string }
  | undefined

/** A secret is a value of a variable; the known real service takes 256 KB (docs/service.md 11.2). */
const LARGEST_TEXT = 1024 * 1024

/** Names of secrets as the schema of set files has them: no dot, so no hidden file and no way out. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/**
 * A directory with one file a name, as secrets are mounted into a container; `root` is its real path. A file is read
 * when its name is asked for. Links are followed inside the directory: a mount points each name at `..data/NAME`.
 */
export function textInDirectory(root: string, name: string): Found {
  if (!NAME.test(name)) return undefined
  const result = readInside(root, join(root, name), LARGEST_TEXT)
  if ('problem' in result)
    return result.problem === 'missing' ? undefined : { problem: `its file ${PROBLEMS[result.problem]}` }
  const text = decode(result.bytes)
  if (text === undefined) return { problem: 'its file is not text in UTF-8', hint: 'Encode it in base64.' }
  const value = text.replace(/\r?\n$/, '')
  const fault = faultOf(value)
  return fault === undefined
    ? { text: value }
    : { problem: fault.message, ...(fault.hint === undefined ? {} : { hint: fault.hint }) }
}

const PROBLEMS: Readonly<
  Record<Exclude<Extract<ReadResult, { problem: string }>['problem'], 'missing'>, string>
> = {
  outside: 'is a link that leads out of the directory',
  'not-a-file': 'is not a regular file',
  'too-large': `is larger than ${LARGEST_TEXT} bytes`,
  unreadable: 'cannot be read',
}
