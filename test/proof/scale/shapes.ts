import type { ObservedSet, ResolvedSet, ResolvedState } from '../../../src/model/variable-set.ts'
import { aDesiredState, anObserved, aSet, SOMEWHERE } from '../../support/states.ts'

const global = true
export const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at))
export const numbered = (at: number): string => String(at).padStart(16, '0')
export const variables = <T>(from: number, count: number, value: T): Record<string, T> =>
  Object.fromEntries(times(count, at => [`env/V${from + at}`, value]))

/** Desired and observed sets. */
interface Pair {
  readonly desired?: ResolvedSet
  readonly observed?: Omit<ObservedSet, 'id'>
}

/** A thousand times `size` operations: each kind, many with a dependency, and a chain of twenty times `size`. */
export function everyKind(size: number): { desired: ResolvedState; observed: ObservedSet[] } {
  const seen = (name: string, shape: Parameters<typeof anObserved>[2] = {}) => anObserved('', name, shape)
  const hidden = { hidden: true } as const
  const pairs: Pair[] = [
    ...times(100 * size, at => ({ desired: aSet(`created-${at}`, { variables: { 'env/A': '1' } }) })),
    ...times(100 * size, at => ({ observed: seen(`gone-${at}`) })),
    ...times(4 * size, at => ({
      desired: aSet(`changed-${at}`, { variables: variables(0, 100, 'new') }),
      observed: seen(`changed-${at}`, { variables: variables(0, 100, 'old') }),
    })),
    ...times(size / 2, at => ({
      desired: aSet(`replaced-${at}`, { variables: variables(0, 100, 'readable') }),
      observed: seen(`replaced-${at}`, { variables: variables(0, 100, hidden) }),
    })),
    ...times(size / 2, at => ({
      desired: aSet(`giving-${at}`, { global }),
      observed: seen(`giving-${at}`, { global, variables: variables(at * 100, 100, 'moves') }),
    })),
    ...times(50 * size, at => ({
      desired: aSet(`taking-${at}`, { global, variables: variables(at, 1, 'moves') }),
      observed: seen(`taking-${at}`, { global }),
    })),
    ...times(20 * size, at => ({
      desired: aSet(`link-${at + 1}`, { previousNames: [`link-${at}`], id: `varset-link${at}` }),
      observed: seen(`link-${at}`),
    })),
    ...times(90 * size, at => ({
      desired: aSet(`placed-${at}`, { workspaces: [`ws-${at}`] }),
      observed: seen(`placed-${at}`, { workspaces: [`ws-${at + 1}`] }),
    })),
  ]
  const observed = pairs.flatMap(({ observed: set, desired: wanted }, at) =>
    set === undefined
      ? []
      : [
          {
            ...set,
            id: wanted?.id ?? (`varset-${numbered(at)}` as const),
            variables: set.variables.map((variable, i) => ({
              ...variable,
              id: `var-${numbered(at * 100 + i)}` as const,
            })),
          },
        ],
  )
  return {
    desired: {
      ...aDesiredState(...pairs.flatMap(({ desired }) => desired ?? [])),
      removed: times(100 * size, at => ({ name: `gone-${at}`, source: SOMEWHERE })),
    },
    observed,
  }
}

/** All variables of some global sets, moved to another global set. */
export function movedToOne(size: number): ReturnType<typeof everyKind> {
  const shapes = times(size, at => ({ global, variables: variables(at * 100, 100, 'moves') }))
  return {
    desired: aDesiredState(
      ...shapes.map((_, at) => aSet(`giving-${at}`, { global })),
      aSet('taking', { global, variables: variables(0, 100 * size, 'moves') }),
    ),
    observed: [
      ...shapes.map((shape, at) => anObserved(`${at}-`, `giving-${at}`, shape)),
      anObserved('taking', 'taking', { global }),
    ],
  }
}
