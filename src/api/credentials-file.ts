import { parseJson } from '../model/parse-json.ts'
import { isMembers } from './document.ts'

export type HostTokens = readonly (readonly [host: string, token: string])[]

/** The file that `terraform login` writes. `undefined` where it makes no sense. */
export function jsonTokens(content: string): HostTokens | undefined {
  const document = parseJson(content)
  if (!isMembers(document)) return undefined
  const { credentials } = document
  if (credentials === undefined) return []
  return isMembers(credentials)
    ? Object.entries(credentials).flatMap(([host, entry]) =>
        isMembers(entry) && typeof entry.token === 'string' && entry.token !== ''
          ? [[host, entry.token] as const]
          : [],
      )
    : undefined
}

/** The `credentials "host" { token = "…" }` blocks of a Terraform CLI configuration; everything else is passed over. */
export function blockTokens(content: string): HostTokens {
  const plain = content.replace(/"(?:[^"\\\n]|\\.)*"|\/\*[\s\S]*?\*\/|(?:#|\/\/)[^\n]*/g, match =>
    match.startsWith('"') ? match : ' ',
  )
  const blocks = plain.matchAll(/\bcredentials\s+"([^"\\]+)"\s*\{([^{}]*)\}/g)
  return [...blocks].flatMap(([, host, body]) => {
    const token = /(?:^|[\s{])token\s*=\s*"([^"\\]+)"/.exec(body ?? '')?.[1]
    return host === undefined || token === undefined ? [] : [[host, token] as const]
  })
}
