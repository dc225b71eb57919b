import { describe } from 'vitest'
import { contractCases } from './cases.ts'
import { openInProcess } from './subject.ts'

describe('the interface, in process', () => contractCases(openInProcess))

describe('the known real service, in process', () =>
  contractCases(options => openInProcess({ ...options, profile: { server: 'hcp' } })))
