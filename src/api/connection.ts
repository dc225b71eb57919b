import type { Checked } from '../model/diagnostic.ts'
import { readAddress } from './address.ts'
import { readCredentials, type Surroundings } from './credentials.ts'
import type { Token } from './token.ts'

/** Where the service is and how to be let in. The token cannot be printed. */
export interface Connection {
  /** Origin, and a base path where there is one, such as `https://app.terraform.io`. */
  readonly address: string
  readonly token: Token
  /** Where the two were found, such as `TFE_ADDRESS`: for `--verbose`. */
  readonly addressPlace: string
  readonly tokenPlace: string
}

/**
 * The connection that flags and environment name; a file of the repository never has a say in it.
 * There is no flag for the token: arguments are seen by every process of the machine.
 */
export function readConnection(
  flags: { readonly address?: string },
  surroundings: Surroundings,
): Checked<Connection> {
  const address = readAddress(flags.address, surroundings.environment)
  if (address.value === undefined) return { value: undefined, diagnostics: address.diagnostics }
  const credentials = readCredentials(address.value, surroundings)
  const diagnostics = [...address.diagnostics, ...credentials.diagnostics]
  if (credentials.value === undefined) return { value: undefined, diagnostics }
  return {
    value: {
      address: address.value.url,
      token: credentials.value.token,
      addressPlace: address.value.place,
      tokenPlace: credentials.value.place,
    },
    diagnostics,
  }
}
