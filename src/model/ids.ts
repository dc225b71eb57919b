export type VariableSetId = `varset-${string}`
export type VariableId = `var-${string}`
export type WorkspaceId = `ws-${string}`
export type ProjectId = `prj-${string}`
export type StackId = `st-${string}`

/** `terraform` is the configuration category; `src/api/category.ts` knows how it is spelled on the wire (docs/service.md 2.2). */
export type Category = 'terraform' | 'env'
/** Identity of a variable within its set: with another category or name it is another variable. */
export type VariableKey = `${Category}/${string}`

export const isVariableKey = (text: string): text is VariableKey =>
  text.startsWith('env/') || text.startsWith('terraform/')
export const categoryOf = (key: VariableKey): Category => (key.startsWith('env/') ? 'env' : 'terraform')
export const nameOf = (key: VariableKey): string => key.slice(key.indexOf('/') + 1)

/** What a service may answer: an id becomes a path segment of later requests, so an answer may not choose its characters. */
const ANSWERED = /^(varset|var|ws|prj|st)-[A-Za-z0-9]{1,64}$/
/** What counts as an id in a file, and not as a name: exactly the form that the known service gives. */
const WRITTEN = /^(varset|ws|prj|st)-[A-Za-z0-9]{16}$/

const hasPrefix = (shape: RegExp, prefix: string, text: string): boolean => shape.exec(text)?.[1] === prefix

export const isVariableSetId = (text: string): text is VariableSetId => hasPrefix(ANSWERED, 'varset', text)
export const isVariableId = (text: string): text is VariableId => hasPrefix(ANSWERED, 'var', text)
export const isWorkspaceId = (text: string): text is WorkspaceId => hasPrefix(ANSWERED, 'ws', text)
export const isProjectId = (text: string): text is ProjectId => hasPrefix(ANSWERED, 'prj', text)
export const isStackId = (text: string): text is StackId => hasPrefix(ANSWERED, 'st', text)

/** Whether a file that says this means an id. */
export const isWrittenId = (text: string): boolean => WRITTEN.test(text)
export const isWrittenVariableSetId = (text: string): text is VariableSetId =>
  hasPrefix(WRITTEN, 'varset', text)
export const isWrittenWorkspaceId = (text: string): text is WorkspaceId => hasPrefix(WRITTEN, 'ws', text)
export const isWrittenProjectId = (text: string): text is ProjectId => hasPrefix(WRITTEN, 'prj', text)
export const isWrittenStackId = (text: string): text is StackId => hasPrefix(WRITTEN, 'st', text)
