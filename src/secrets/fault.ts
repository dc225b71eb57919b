/** Why a text cannot be the intended value, or `undefined`. Quotes nothing. */
export function valueProblem(text: string): { readonly message: string; readonly hint?: string } | undefined {
  if (text.includes('\0') || HALF_PAIR.test(text))
    return { message: 'A secret cannot contain the character U+0000 or half of a surrogate pair.' }
  if (SEALED.test(text))
    return {
      message: 'The value is still encrypted by SOPS.',
      hint: 'Decrypt it first: `sops -d FILE | setpoint apply --secrets -`.',
    }
  return undefined
}

const HALF_PAIR = /\p{Surrogate}/u
/** Sending it would replace the real value with its encrypted text. */
const SEALED = /^ENC\[[A-Z0-9_]+,data:/
