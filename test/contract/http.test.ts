import { describe } from 'vitest'
import { contractCases } from './cases.ts'
import { openOverHttp } from './subject.ts'

describe('the interface, over HTTP', () => contractCases(openOverHttp))
