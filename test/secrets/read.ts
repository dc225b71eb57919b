import type { Diagnostic } from '../../src/model/diagnostic.ts'
import { Findings } from '../../src/model/findings.ts'
import { readSecretFile } from '../../src/secrets/texts.ts'

export interface Read {
  readonly texts: Readonly<Record<string, string>>
  /** Each as `line:column severity code message`. */
  readonly said: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Reads a source with this name and content. */
export function read(path: string, content: string | Uint8Array): Read {
  const findings = new Findings()
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const texts = Object.fromEntries(
    [...readSecretFile(path, bytes, findings)].map(([name, secret]) => [name, secret.reveal()]),
  )
  const said = findings.diagnostics.map(
    ({ severity, code, message, source }) =>
      `${source?.line}:${source?.column} ${severity} ${code} ${message}`,
  )
  return { texts, said, diagnostics: findings.diagnostics }
}
