import { TOKEN_VARIABLES } from '../../src/api/tokens.ts'

/** One variable for each place of the environment that can hold a token of the service. Jobs that must have no token are run with them. */
export const SERVICE_TOKENS: Readonly<Record<string, string>> = Object.fromEntries(
  TOKEN_VARIABLES.map(name => [name.replace('*', 'app_terraform_io'), 'x']),
)
