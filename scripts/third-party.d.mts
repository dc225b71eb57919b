export const EMBEDDED: readonly string[]
export function listedIn(text: string): { readonly name: string; readonly version: string }[]
