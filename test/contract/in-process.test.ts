import { describe } from 'vitest'
import { contractCases } from './cases.ts'
import { openInProcess } from './subject.ts'

describe('the interface, in process', () => contractCases(openInProcess))
