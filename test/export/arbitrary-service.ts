import fc from 'fast-check'
import type { SandboxSeed, SetSeed, VariableSeed } from '../../src/sandbox/index.ts'
import { text } from '../config/arbitrary-state.ts'

/** Text that a service may have, including what no file can contain. */
const anyText = fc.oneof(
  { weight: 12, arbitrary: text },
  {
    weight: 4,
    arbitrary: fc.constantFrom('', 'eu-west-1', 'two words', '1', 'a\r\nb\r\n', 'a\n', '\n', '\ufeffx'),
  },
  { weight: 1, arbitrary: fc.constantFrom('nul \0', '\ud800 half', 'AKIAQ3EGRV7XKDLM2PTB') },
)
const few = fc.constantFrom('a', 'b', 'c', 'A', 'é', 'e\u0301', '__proto__', 'constructor')
const key = fc.oneof({ weight: 3, arbitrary: few }, anyText)
const name = fc.oneof({ weight: 2, arbitrary: few }, { weight: 3, arbitrary: anyText })

const variable: fc.Arbitrary<VariableSeed> = fc.record({
  key,
  value: anyText,
  description: fc.oneof({ weight: 3, arbitrary: fc.constant('') }, anyText),
  category: fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom('env', 'terraform') },
    fc.constant('policy-set'),
  ),
  hcl: fc.boolean(),
  sensitive: fc.boolean(),
})

const WORKSPACES = ['ws-AAAAAAAAAAAAAAA1', 'ws-AAAAAAAAAAAAAAA2', 'ws-AAAAAAAAAAAAAAA3', 'ws-short'] as const
const PROJECTS = ['prj-AAAAAAAAAAAAAAA1', 'prj-AAAAAAAAAAAAAAA2'] as const

const set = fc.record(
  {
    name,
    description: fc.oneof(fc.constant(''), anyText),
    global: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
    priority: fc.boolean(),
    workspaces: fc.subarray([...WORKSPACES]),
    projects: fc.subarray([...PROJECTS]),
    variables: fc.array(variable, { maxLength: 5 }),
    parent: fc.constantFrom(...PROJECTS),
  },
  { requiredKeys: ['name', 'description', 'global', 'priority', 'workspaces', 'projects', 'variables'] },
)

/** Most sets belong to the organization. */
const ownSet: fc.Arbitrary<SetSeed> = fc
  .tuple(set, fc.integer({ min: 0, max: 9 }))
  .map(([{ parent, ...rest }, n]) => (n < 3 && parent !== undefined ? { ...rest, parent } : rest))

const targetName = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('web', 'db', 'x-1', 'ws-BBBBBBBBBBBBBBB2') },
  text.filter(value => value !== ''),
)

/** The sandbox accepts each name once, regardless of case. */
const targetNames = (length: number): fc.Arbitrary<string[]> =>
  fc.uniqueArray(targetName, {
    selector: value => value.toLowerCase(),
    minLength: length,
    maxLength: length,
  })

/**
 * The most hostile organization that a service can have: odd, equal and similar names, and contents that files cannot express.
 */
export const arbitraryService: fc.Arbitrary<SandboxSeed> = fc
  .record({
    sets: fc.array(ownSet, { maxLength: 5 }),
    workspaces: targetNames(4),
    projects: targetNames(2),
  })
  .map(({ sets, workspaces, projects }) => ({
    organizations: [{ name: 'acme' }],
    projects: PROJECTS.map((id, i) => ({ id, name: projects[i] ?? '' })),
    workspaces: WORKSPACES.map((id, i) => ({
      id,
      name: workspaces[i] ?? '',
      project: PROJECTS[i % 2] ?? '',
    })),
    sets: sets.map((seed, i) => ({ ...seed, id: `varset-${'0'.repeat(15)}${i}` })),
  }))
