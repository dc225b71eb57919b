import { describe } from 'vitest'
import { accessCases } from './cases-access.ts'
import { assignmentCases } from './cases-assignments.ts'
import { clientCases } from './cases-clients.ts'
import { directoryCases } from './cases-directory.ts'
import { globalCases } from './cases-global.ts'
import { listCases } from './cases-lists.ts'
import { malformedCases } from './cases-malformed.ts'
import { projectSetCases } from './cases-project-sets.ts'
import { setCases } from './cases-sets.ts'
import { stackCases } from './cases-stacks.ts'
import { updateCases } from './cases-updates.ts'
import { variableCases } from './cases-variables.ts'
import type { Open } from './subject.ts'

/** The interface, sentence by sentence, in raw requests. Numbers in titles are sections of docs/service.md. */
export function contractCases(open: Open): void {
  describe('variable sets', () => setCases(open))
  describe('updates of sets', () => updateCases(open))
  describe('lists', () => listCases(open))
  describe('variables', () => variableCases(open))
  describe('the rule on global sets', () => globalCases(open))
  describe('assignments', () => assignmentCases(open))
  describe('access', () => accessCases(open))
  describe('malformed requests', () => malformedCases(open))
  describe('what real clients need', () => clientCases(open))
  describe('Stacks', () => stackCases(open))
  describe('sets of projects', () => projectSetCases(open))
  describe('organizations, projects and workspaces', () => directoryCases(open))
}
