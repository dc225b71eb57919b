import { describe, expect, test } from 'vitest'
import { FAULTS } from '../proof/hostile/faults.ts'
import { apply, PLACES, snapshotOf, strike, withHostile } from '../proof/hostile/run.ts'
import { FILES, ownIn } from '../proof/hostile/story.ts'
import { TO_FINISH, writeFiles } from '../support/place.ts'

/** All other behaviour of such services is in hostile.family.ts, of which `npm test` takes a sample. */
describe('a service that always', () => {
  test.each(['organization: acme\n', 'organization: acme\nowner: team\n'])(
    'creates sets twice causes an error that says how to choose one, and no set is deleted: %j',
    { tags: ['F-20', 'F-35'] },
    async configuration => {
      const files = { ...FILES, 'setpoint.yaml': configuration }
      const twice = FAULTS['acts twice']
      const isCreate = PLACES['the new set']
      if (twice === undefined || isCreate === undefined) throw new Error('renamed')
      await withHostile({ duplicates: 'second' }, files, async (hostile, cwd) => {
        strike(
          hostile,
          twice,
          request => isCreate(request) && request.body?.includes('fresh') === true,
          'always',
        )
        const adopting = ['--auto-approve', ...(configuration.includes('owner') ? ['--adopt', '*'] : [])]
        const first = await apply(hostile, cwd, adopting)
        expect(first.code).toBe(3)
        const [mine = 'none'] = /varset-\w+(?= is ours)/.exec(first.stdout) ?? []
        const made = (snapshotOf(hostile).sets ?? [])
          .filter(({ name }) => name === 'fresh')
          .map(({ id }) => id)
        expect(made).toHaveLength(2)
        expect(made).toContain(mine)
        const sent = hostile.requests.length
        const { code, stderr } = await apply(hostile, cwd)
        expect(code).toBe(1)
        expect(stderr).toContain('The service has 2 sets named "fresh": varset-')
        expect(hostile.requests.slice(sent).filter(text => !text.startsWith('GET '))).toEqual([])
        const others = made.filter(id => id !== mine)
        if (configuration.includes('owner')) {
          expect(stderr).toContain(`${mine} is ours.`)
          expect(stderr).toContain(
            `Add "id: ${mine}" to the set. To delete the others, add "removed: [${others}]" to the file as well.`,
          )
        } else expect(stderr).toContain('The report of the apply that created a set names its id.')
        const followed = FILES['sets/a.yaml']
          .replace('  fresh:\n', `  fresh:\n    id: ${mine}\n`)
          .replace('removed: [old]', `removed: [${others}]`)
        writeFiles(cwd, { 'sets/a.yaml': followed })
        const repaired = await apply(hostile, cwd)
        expect({ code: repaired.code, stderr: repaired.stderr.replace(TO_FINISH, '') }).toEqual({
          code: 0,
          stderr: '',
        })
        expect(ownIn(snapshotOf(hostile)).filter(({ name }) => name === 'fresh')).toHaveLength(1)
      })
    },
  )
})
