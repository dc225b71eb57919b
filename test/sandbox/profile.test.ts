import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createSandbox, parseFaults, parseSeed, profileOf, withFaults } from '../../src/sandbox/index.ts'
import {
  addVariable,
  at,
  createSet,
  namesOf,
  openInProcess,
  setBody,
  variable,
  variableBody,
} from '../contract/subject.ts'

const LIST = 'organizations/acme/varsets'
const A = { key: 'A', category: 'env', value: 'old' }

describe('the choices beside the server', () => {
  test.each([
    ['refuse', 422, ['A=old']],
    ['second', 200, ['A=old', 'A=new']],
    ['replace', 200, ['A=new']],
  ] as const)('duplicates: %s', async (duplicates, status, values) => {
    const subject = await openInProcess({ profile: { duplicates } })
    // Global, so that a set might be in conflict with itself.
    const id = await createSet(subject, { name: 'known', global: true })
    await addVariable(subject, id, A)
    const again = variableBody({ ...A, value: 'new' })
    const vars = { vars: { data: [variable({ ...A, value: 'new' })] } }
    const both = { vars: { data: [variable(A), variable({ ...A, value: 'new' })] } }
    const stored = (name: string) =>
      (subject.sandbox.snapshot().sets ?? [])
        .filter(set => set.name === name)
        .map(set => set.variables?.map(({ key, value }) => `${key}=${value}`))
    const added = await subject.ask('POST', `varsets/${id}/relationships/vars`, { body: again })
    expect([added.status, stored('known')]).toEqual([status, [values]])
    const listed = await subject.ask('POST', LIST, { body: setBody({ name: 'listed' }, both) })
    expect([listed.status, stored('listed')]).toEqual([status, status === 200 ? [values] : []])
    const updated = await subject.ask('PATCH', `varsets/${id}`, { body: setBody({}, vars) })
    expect(updated.status).toBe(status)
    const named = await subject.ask('POST', LIST, { body: setBody({ name: 'known' }) })
    expect([named.status, stored('known').length]).toEqual([status, status === 200 ? 2 : 1])
    await subject.close()
  })

  test.each([
    [100, [20, 100, 100]],
    [20, [20, 20, 20]],
  ] as const)('largestPage: %i', async (largestPage, sizes) => {
    const subject = await openInProcess({ profile: { largestPage } })
    const size = async (asked: string) => {
      const { body } = await subject.ask('GET', LIST, { query: { 'page[size]': asked } })
      return at(body, 'meta', 'pagination', 'page-size')
    }
    expect([await size('20'), await size('100'), await size('101')]).toEqual(sizes)
    await subject.close()
  })

  test.each([
    ['immediate', 1],
    ['late', 4],
  ] as const)('lists: %s', async (lists, reads) => {
    const subject = await openInProcess({ profile: { lists } })
    await createSet(subject, { name: 'a' })
    let count = 0
    do count += 1
    while (!namesOf(await subject.ask('GET', LIST)).includes('a') && count < 9)
    expect(count).toBe(reads)
    await subject.close()
  })
})

test('an unknown name or value is an error that says what there is', async () => {
  for (const [profile, message] of [
    [{ stacks: 'refused' }, 'Unknown: "stacks". There are server, duplicates, largestPage, lists; '],
    [{ toString: 'any' }, 'Unknown: "toString".'],
    [{ server: 'toString' }, '"server" must be one of interface, hcp, enterprise, 2021-11, otf, '],
    [{ largestPage: 7 }, '"largestPage" must be one of 100, 20.'],
  ] as const)
    await expect(createSandbox({ profile: profile as object })).rejects.toThrow(message)
})

/** Every switch of 0.2, with the values that are not its default. */
const FORMER = {
  server: ['published', '2023-10', '2023-03'],
  setNames: ['any'],
  duplicateVariable: ['second', 'replace'],
  sensitiveValue: ['empty', 'missing', 'mask'],
  setMembers: ['ignored'],
  repeatedAssignment: ['refuse'],
  wrongTarget: ['not-found', 'accept'],
  globalAssignments: ['refuse'],
  successStatus: ['other'],
  missingPermission: ['forbidden', 'unauthorized'],
  errorBody: ['other-json', 'empty', 'html'],
  pageSize: ['clamp-20', 'refuse-20'],
  pageData: ['none', 'unpaged'],
  listVariables: ['pages-meta', 'pages-bare', 'whole-bare', 'refuse'],
  listOrder: ['updated-at', 'random'],
  relationshipLists: ['truncated'],
  includeVars: ['ignored', 'embedded'],
  links: ['foreign'],
  lookUps: ['missing'],
  lists: ['lag-reads', 'lag-time'],
  parallelWrites: ['deadlock'],
  text: ['unix-newlines', 'trim'],
  lengths: ['any'],
  extras: ['random', 'relations'],
}

test.each(Object.entries(FORMER))('%s of 0.2 says what to write instead', (name, values) => {
  for (const value of values) {
    const said = () => profileOf({ [name]: value })
    expect(said).toThrow(/is gone: (?:write|remove) /)
    for (const [, choice = '', one = ''] of messageOf(said).matchAll(/(\w+)=([\w-]+)/g))
      if (choice !== name)
        expect(() => profileOf({ [choice]: /^\d+$/.test(one) ? Number(one) : one })).not.toThrow()
  }
})

const messageOf = (act: () => unknown): string => {
  try {
    act()
    return ''
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
}

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/sandbox.md'), 'utf8')
const blocks = (language: string) =>
  [...PAGE.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(found => found[1] ?? '')

test('the example of docs/sandbox.md runs and prints the output that is shown there', async () => {
  const [example = ''] = blocks('ts')
  const printed: unknown[][] = []
  const code = example.replace(/^import .*$/m, '')
  const AsyncFunction = (async () => undefined).constructor as FunctionConstructor
  const run = new AsyncFunction('createSandbox', 'withFaults', 'console', code)
  await run(createSandbox, withFaults, { log: (...values: unknown[]) => printed.push(values) })
  expect(printed).toEqual([[200], ['TransportError', 'maybe'], [['aws', 'gcp']]])
})

test('the seed and the fault schedule of docs/sandbox.md are valid', async () => {
  const seed = blocks('yaml').find(text => text.includes('sets:')) ?? ''
  const faults = blocks('yaml').find(text => text.includes('probability:')) ?? ''
  const sandbox = await createSandbox({ seed: parseSeed(seed) })
  expect(sandbox.snapshot().sets?.map(set => [set.name, set.variables?.length])).toEqual([
    ['aws', 2],
    ['platform-only', 0],
  ])
  expect(parseFaults(faults).probability).toBe(0.05)
  await sandbox.close()
})
