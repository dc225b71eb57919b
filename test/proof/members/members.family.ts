import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { apply, plan } from '../../../src/library/index.ts'
import { createSandbox, type Sandbox } from '../../../src/sandbox/index.ts'
import { again, atLeast, counted, type Family, sum } from '../family.ts'
import { table } from '../page.ts'

/** `runs`: the number of random organizations. Each is reviewed, changed by others, and applied. */
interface Task {
  readonly runs: number
  readonly seed: number
}

interface Found {
  /** Changes of workspaces between the review and the apply. */
  readonly changes: number
  /** Pairs of a set with a secret and a workspace that newly receives it. */
  readonly gained: number
  /** Applies that leave a member out because it has another name, or another workspace has its name. */
  readonly leftOut: number
  readonly broken: Readonly<Record<keyof typeof PROMISES, readonly string[]>>
}

const PROMISES = {
  listed:
    'a workspace newly receives a secret only if a group of the files lists its id with the name that the service shows for it',
  reviewed: 'an apply of a reviewed plan gives secrets only to workspaces of that plan',
} as const

const COUNTS = { whole: [20, 50], part: [4, 50], sample: [1, 40] } as const

/** Others rename, tag, move, delete and create workspaces between a review and its apply. */
const members: Family<Task, Found> = {
  name: 'members',
  proves: [],
  tasks(size, seed) {
    const [tasks, runs] = COUNTS[size]
    return Array.from({ length: tasks }, (_, turn) => ({ runs, seed: 1_000 * seed + turn }))
  },
  seconds: ({ runs }) => runs / 15,
  async run({ runs, seed }) {
    const found = { changes: 0, gained: 0, leftOut: 0 }
    const broken = { listed: [] as string[], reviewed: [] as string[] }
    for (let at = 0; at < runs; at++)
      await tryOne(chanceOf(seed * 1_000 + at), found, (what, text) =>
        broken[what].push(`run ${at}: ${text}`),
      )
    return { ...found, broken }
  },
  conclude(done, size, isAll) {
    const figures = [
      ['reviews with changes by others before the apply', sum(done, ({ task }) => task.runs)],
      ['renames, tags, moves, deletions and re-creations', sum(done, ({ found }) => found.changes)],
      ['workspaces that newly receive a secret', sum(done, ({ found }) => found.gained)],
      ['applies that leave out a workspace whose name changed', sum(done, ({ found }) => found.leftOut)],
    ] as const
    return {
      figures,
      promises: [
        ...Object.entries(PROMISES).map(([what, promise]) => ({
          promise,
          broken: done.flatMap(({ task, found }) =>
            found.broken[what as keyof typeof PROMISES].map(text => `${text}\n${again('members', task)}`),
          ),
        })),
        atLeast('some workspaces receive a secret', 20, figures[2][1], isAll),
        atLeast('some applies leave one out', 5, figures[3][1], isAll),
        ...(size === 'whole' ? [atLeast('a thousand reviews', 1_000, figures[0][1], isAll)] : []),
      ],
      section: table(
        ['counted', 'number'],
        figures.map(([what, count]) => [what, counted(count)]),
      ),
    }
  },
}

export default members

type Chance = <T>(choices: readonly [T, ...T[]]) => T

/** The same choices for the same seed. */
function chanceOf(seed: number): Chance {
  let state = seed >>> 0
  return choices => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return choices[((mixed ^ (mixed >>> 14)) >>> 0) % choices.length] ?? choices[0]
  }
}

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'] as const
const GROUPS = ['one', 'two'] as const
const SETS = ['x', 'y'] as const
const SECRETS = { DB: 'only-for-this-test' }

async function tryOne(
  chance: Chance,
  found: { changes: number; gained: number; leftOut: number },
  isBroken: (what: keyof typeof PROMISES, text: string) => void,
): Promise<void> {
  const cwd = mkdtempSync(join(tmpdir(), 'setpoint-members-'))
  const sandbox = await createSandbox({
    seed: {
      organizations: [{ name: 'acme' }],
      projects: [{ name: 'p' }, { name: 'q' }],
      workspaces: NAMES.map(name => ({ name, project: 'p', tags: { env: 'prod' } })),
    },
  })
  try {
    mkdirSync(join(cwd, 'sets'))
    writeFileSync(join(cwd, 'setpoint.yaml'), 'organization: acme\n')
    const before = writeGroups(cwd, chance, sandbox)
    writeSets(cwd, chance)
    // Some of it was applied before.
    if (chance([true, false])) await apply({ cwd, sandbox, secrets: SECRETS, autoApprove: true })
    const groups = chance([true, false]) ? writeGroups(cwd, chance, sandbox) : before
    writeSets(cwd, chance)
    const { savedPlan } = await plan({ cwd, sandbox })
    const changes = chance([1, 2, 3, 5, 8])
    for (let at = 0; at < changes; at++) await changeOne(chance, sandbox)
    found.changes += changes

    const isReviewed = savedPlan !== undefined && chance([true, true, false])
    const had = assignedIn(sandbox)
    const { diagnostics } = await apply({
      cwd,
      sandbox,
      secrets: SECRETS,
      ...(isReviewed ? { reviewed: savedPlan } : { autoApprove: true }),
    })
    if (diagnostics.some(({ code }) => code === 'renamed-member')) found.leftOut++
    const nameOf = new Map(sandbox.snapshot().workspaces?.map(({ id, name }) => [id, name]))
    for (const pair of [...assignedIn(sandbox)].filter(one => !had.has(one))) {
      found.gained++
      const [, id = ''] = pair.split(' ')
      const listed = Object.values(groups).some(list => list.get(nameOf.get(id) ?? '') === id)
      if (!listed) isBroken('listed', `${pair}, named ${nameOf.get(id)}`)
      if (isReviewed && !savedPlan.includes(id)) isBroken('reviewed', pair)
    }
  } finally {
    await sandbox.close()
    rmSync(cwd, { recursive: true, force: true })
  }
}

/** Pairs of a set and the id of a workspace. */
const assignedIn = (sandbox: Sandbox): ReadonlySet<string> =>
  new Set(
    sandbox.snapshot().sets?.flatMap(({ name, workspaces = [] }) => workspaces.map(id => `${name} ${id}`)),
  )

/** Lists the workspaces as the service shows them now: this is what a review sees. */
function writeGroups(cwd: string, chance: Chance, sandbox: Sandbox) {
  const { workspaces = [] } = sandbox.snapshot()
  const groups: Record<string, Map<string, string>> = {}
  for (const group of GROUPS)
    groups[group] = new Map(
      workspaces.flatMap(({ name = '', id = '' }) => (chance([true, false]) ? [[name, id] as const] : [])),
    )
  const lines = Object.entries(groups).map(
    ([group, list]) =>
      `  ${group}:\n    allowEmpty: true\n    select: { tags: { env: prod } }\n    workspaces: {${[...list].map(([name, id]) => ` ${name}: ${id}`).join(',')} }\n`,
  )
  writeFileSync(join(cwd, 'groups.yaml'), `groups:\n${lines.join('')}`)
  return groups
}

function writeSets(cwd: string, chance: Chance): void {
  const sets = SETS.map(set => {
    const named = chance([['one'], ['two'], ['one', 'two'], ['two', 'one']])
    return `  ${set}:\n    workspaces: [${named.map(group => `"group:${group}"`).join(', ')}]\n    env: { K: { secret: DB } }\n`
  })
  writeFileSync(join(cwd, 'sets/all.yaml'), `variableSets:\n${sets.join('')}`)
}

/** As another client would: it renames, moves, tags, deletes or creates a workspace, or swaps two names. */
async function changeOne(chance: Chance, sandbox: Sandbox): Promise<void> {
  const { workspaces = [], projects = [] } = sandbox.snapshot()
  const [first, ...others] = workspaces
  if (first === undefined) return
  const { id, name } = chance([first, ...others])
  const other = chance([first, ...others])
  const send = (method: 'PATCH' | 'POST' | 'DELETE', path: string, attributes: object, relationships = {}) =>
    sandbox.transport({
      method,
      path: `/api/v2/${path}`,
      headers: { authorization: `Bearer ${sandbox.token}`, 'content-type': 'application/vnd.api+json' },
      body:
        method === 'DELETE'
          ? ''
          : JSON.stringify({ data: { type: 'workspaces', attributes, relationships } }),
    })
  const rename = (which: string | undefined, to: string | undefined) =>
    send('PATCH', `workspaces/${which}`, { name: to })
  const create = (serviceName: string | undefined) =>
    send('POST', 'organizations/acme/workspaces', { name: serviceName })
  switch (chance(['rename', 'swap', 'take', 'again', 'delete', 'create', 'move', 'tag'])) {
    case 'rename':
      await rename(id, `${name}-renamed`)
      return
    case 'swap':
      await rename(id, 'aside')
      await rename(other.id, name)
      await rename(id, other.name)
      return
    case 'take':
      await rename(id, `${name}-old`)
      await rename(other.id, name)
      return
    case 'again':
      await send('DELETE', `workspaces/${id}`, {})
      await create(name)
      return
    case 'delete':
      await send('DELETE', `workspaces/${id}`, {})
      return
    case 'create':
      await create(`${name}-new`)
      return
    case 'move': {
      const to = projects.find(project => project.name === chance(['p', 'q']))
      await send('PATCH', `workspaces/${id}`, {}, { project: { data: { type: 'projects', id: to?.id } } })
      return
    }
    case 'tag': {
      const value = chance(['prod', 'test'])
      const data = [{ type: 'tag-bindings', attributes: { key: 'env', value } }]
      await send('PATCH', `workspaces/${id}`, {}, { 'tag-bindings': { data } })
    }
  }
}
