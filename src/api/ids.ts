import type { ProjectId, VariableId, VariableSetId, WorkspaceId } from '../model/ids.ts'

/** An id becomes a path segment of later requests, so an answer may not choose its characters. */
const SHAPE = /^(varset|var|ws|prj)-[A-Za-z0-9]{1,64}$/

const prefixOf = (text: string): string | undefined => SHAPE.exec(text)?.[1]

export const isVariableSetId = (text: string): text is VariableSetId => prefixOf(text) === 'varset'
export const isVariableId = (text: string): text is VariableId => prefixOf(text) === 'var'
export const isWorkspaceId = (text: string): text is WorkspaceId => prefixOf(text) === 'ws'
export const isProjectId = (text: string): text is ProjectId => prefixOf(text) === 'prj'
