import { describe, expect, test } from 'vitest'
import { InOrder, inLanes } from '../../src/cli/in-order.ts'

const tick = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

describe('the output of runs at the same time', () => {
  const written = () => {
    const texts: string[] = []
    const order = new InOrder()
    const sinks = [0, 1, 2].map(run =>
      order.sink(run, { write: text => void texts.push(text), terminal: true, columns: 80, failed: 'EPIPE' }),
    )
    const write = (run: number, text: string): void => sinks[run]?.write(text)
    return { texts, order, sinks, write }
  }

  test('is that of the first at once, and of each other whole after those before it', () => {
    const { texts, order, sinks, write } = written()
    write(2, 'c1')
    write(0, 'a1')
    write(1, 'b1')
    expect([texts, sinks.map(({ isHeld }) => isHeld)]).toEqual([['a1'], [false, true, true]])
    order.end(2)
    write(0, 'a2')
    order.end(0)
    write(1, 'b2')
    expect(texts).toEqual(['a1', 'a2', 'b1', 'b2'])
    order.end(1)
    expect(texts).toEqual(['a1', 'a2', 'b1', 'b2', 'c1'])
    expect(sinks[2]).toMatchObject({ terminal: true, columns: 80, failed: 'EPIPE' })
  })

  test('comes before a question of the same run, and after everything of the runs before it', async () => {
    const { texts, order, write } = written()
    write(1, 'plan')
    const asked = order.turn(1).then(() => texts.push('question'))
    await tick()
    expect(texts).toEqual([])
    write(0, 'a')
    order.end(0)
    await asked
    await order.turn(1)
    expect(texts).toEqual(['a', 'plan', 'question'])
  })
})

describe('lanes', () => {
  /** Runs items such as `a1`, whose lane is the letter. Each ends when it is told to. */
  function running(items: readonly string[], most: number) {
    const under = new Map<string, { end: () => void; fail: () => void }>()
    const all = inLanes(
      items,
      item => item[0],
      most,
      item =>
        new Promise((resolve, reject) => {
          under.set(item, {
            end: () => {
              under.delete(item)
              resolve()
            },
            fail: () => {
              under.delete(item)
              reject(new Error(item))
            },
          })
        }),
    )
    all.catch(() => {})
    const now = async (): Promise<string> => {
      await tick()
      return [...under.keys()].join(' ')
    }
    return {
      all,
      now,
      end: (item: string) => under.get(item)?.end(),
      fail: (item: string) => under.get(item)?.fail(),
    }
  }

  test('run one item each, at most so many at a time, and the first that is left always runs', async () => {
    const { all, now, end } = running(['a1', 'a2', 'b1', 'c1', 'a3', 'b2'], 2)
    expect(await now()).toBe('a1 b1')
    end('b1')
    expect(await now()).toBe('a1 c1')
    end('a1')
    expect(await now()).toBe('c1 a2')
    end('c1')
    expect(await now()).toBe('a2 b2')
    end('b2')
    expect(await now()).toBe('a2')
    end('a2')
    expect(await now()).toBe('a3')
    end('a3')
    await all
  })

  test('one lane is one after the other', async () => {
    const { all, now, end } = running(['a1', 'a2'], 16)
    expect(await now()).toBe('a1')
    end('a1')
    expect(await now()).toBe('a2')
    end('a2')
    await all
  })

  test('a failure starts nothing more, and comes after what is under way', async () => {
    const { all, now, end, fail } = running(['a1', 'b1', 'c1'], 2)
    expect(await now()).toBe('a1 b1')
    fail('a1')
    expect(await now()).toBe('b1')
    end('b1')
    await expect(all).rejects.toThrow('a1')
    expect(await now()).toBe('')
  })
})
