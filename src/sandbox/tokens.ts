import { randomBytes } from 'node:crypto'
import type { Permission, TokenRecord } from './records.ts'

/** Of these, the token of that permission that sees every organization; or a new one that nobody can guess. */
export function tokenFor(permission: Permission, known: Iterable<TokenRecord>): TokenRecord {
  for (const token of known) {
    if (token.permission === permission && token.organizations === undefined) return token
  }
  return { token: `sandbox-${randomBytes(18).toString('base64url')}`, permission }
}
