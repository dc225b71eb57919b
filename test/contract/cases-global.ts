import { expect, test } from 'vitest'
import {
  addVariable,
  at,
  createSet,
  eachTest,
  idOf,
  listOf,
  type Open,
  type Subject,
  setBody,
  variable,
  variableBody,
} from './subject.ts'

/** docs/service.md 1.2: no key and category in two global sets. */
export function globalCases(open: Open): void {
  const { subject, ask } = eachTest(open)
  let set: string
  const add = (attributes: Record<string, unknown>) =>
    ask('POST', `varsets/${set}/relationships/vars`, { body: variableBody(attributes) })
  const patch = (id: string, attributes: Record<string, unknown>) =>
    ask('PATCH', `varsets/${set}/relationships/vars/${id}`, { body: variableBody(attributes) })

  const region = { vars: { data: [variable({ key: 'REGION', category: 'env' })] } }
  const conflict = async (asked: ReturnType<Subject['ask']>) => {
    const answer = await asked
    expect([answer.status, at(answer.body, 'errors', 0, 'detail')]).toEqual([
      422,
      'Variable "REGION" (env) is already in the global variable set "base"',
    ])
  }

  test('creating a global set with a key of another global set is refused (1.2)', async () => {
    await createSet(subject, { name: 'base', global: true }, region)
    await conflict(
      ask('POST', 'organizations/acme/varsets', { body: setBody({ name: 'b', global: true }, region) }),
    )
    expect(await createSet(subject, { name: 'b' }, region)).toMatch(/^varset-/)
    const other = { vars: { data: [variable({ key: 'REGION', category: 'terraform' })] } }
    expect(await createSet(subject, { name: 'c', global: true }, other)).toMatch(/^varset-/)
  })

  test('adding a conflicting variable to a global set is refused: by add, update of the set, rename, and change of category (1.2)', async () => {
    await createSet(subject, { name: 'base', global: true }, region)
    set = await createSet(subject, { name: 'b', global: true })
    await conflict(add({ key: 'REGION', category: 'env' }))
    await conflict(ask('PATCH', `varsets/${set}`, { body: setBody({}, region) }))
    const id = idOf(await add({ key: 'REGION', category: 'terraform' }))
    await conflict(patch(id, { category: 'env' }))
    const renamed = idOf(await add({ key: 'ZONE', category: 'env' }))
    await conflict(patch(renamed, { key: 'REGION' }))
  })

  test('changing a variable of a global set is no conflict with itself (1.2)', async () => {
    set = await createSet(subject, { name: 'base', global: true }, region)
    const [own] = listOf(await ask('GET', `varsets/${set}/relationships/vars`))
    const answer = await patch(String(own?.id), { key: 'REGION', value: 'other' })
    expect([answer.status, at(answer.body, 'data', 'attributes', 'value')]).toEqual([200, 'other'])
  })

  test('making a set global is refused while one of its keys is in another global set (1.2)', async () => {
    const base = await createSet(subject, { name: 'base', global: true }, region)
    const id = await createSet(subject, { name: 'b' }, region)
    const turn = (target: string, global: boolean) =>
      ask('PATCH', `varsets/${target}`, { body: setBody({ global }) })
    await conflict(turn(id, true))
    expect((await turn(base, false)).status).toBe(200)
    expect((await turn(id, true)).status).toBe(200)
    expect((await turn(base, true)).status).toBe(422)
    expect((await ask('DELETE', `varsets/${id}`)).status).toBe(204)
    expect((await turn(base, true)).status).toBe(200)
  })

  test('deleting a variable of a global set allows its key in another one (1.2)', async () => {
    const base = await createSet(subject, { name: 'base', global: true }, region)
    const other = await createSet(subject, { name: 'b', global: true })
    const [variableOfBase] = listOf(await ask('GET', `varsets/${base}/relationships/vars`))
    await ask('DELETE', `varsets/${base}/relationships/vars/${variableOfBase?.id}`)
    expect(await addVariable(subject, other, { key: 'REGION', category: 'env' })).toMatch(/^var-/)
  })
}
