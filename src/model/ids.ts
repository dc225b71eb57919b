export type VariableSetId = `varset-${string}`
export type VariableId = `var-${string}`
export type WorkspaceId = `ws-${string}`
export type ProjectId = `prj-${string}`

/** `terraform` is the configuration category; `src/api/category.ts` knows how it is spelled on the wire (docs/service.md 2.2). */
export type Category = 'terraform' | 'env'
/** Identity of a variable within its set: with another category or name it is another variable. */
export type VariableKey = `${Category}/${string}`

export const isVariableKey = (text: string): text is VariableKey =>
  text.startsWith('env/') || text.startsWith('terraform/')
export const categoryOf = (key: VariableKey): Category => (key.startsWith('env/') ? 'env' : 'terraform')
export const nameOf = (key: VariableKey): string => key.slice(key.indexOf('/') + 1)
