import { aDesiredState, anObserved, aSet } from '../../support/states.ts'
import {
  aCase,
  type Case,
  external,
  hidden,
  OLD_TEXT,
  P1,
  P2,
  removed,
  removedIds,
  S1,
  S2,
  secret,
  W1,
  W2,
  W3,
} from './case.ts'

/** Changes from one state to another, each for something that can go wrong. */
export const CHANGES: readonly Case[] = [
  aCase(
    'mixed',
    [
      anObserved('1', 'app', {
        description: 'old',
        variables: { 'env/A': '1', 'terraform/T': 'old' },
        workspaces: [W1],
        projects: [P1],
      }),
      anObserved('3', 'legacy', { variables: { 'env/L': '1' }, workspaces: [W3] }),
    ],
    {
      ...aDesiredState(
        aSet('app', {
          description: 'new',
          variables: {
            'env/A': '2',
            'env/C': secret(),
            'env/D': 'd',
            'terraform/T': 'old',
          },
          workspaces: [W2],
          projects: [P1],
        }),
        aSet('fresh', {
          variables: { 'env/A': 'a', 'env/K': secret() },
          workspaces: [W1, W2],
          projects: [P2],
        }),
      ),
      removed: removed('legacy'),
    },
  ),
  aCase(
    'global-moves',
    [
      anObserved('1', 'one', { global: true, variables: { 'env/X': '1', 'env/Y': '2' } }),
      anObserved('2', 'two', { global: true, variables: { 'env/Z': '3' } }),
      anObserved('3', 'three', { global: true, variables: { 'env/Q': 'q' } }),
      anObserved('4', 'four', { variables: { 'env/Q': 'other' }, workspaces: [W1] }),
    ],
    aDesiredState(
      aSet('one', { global: true, variables: { 'env/Z': '3', 'env/Y': '2' } }),
      aSet('two', { global: true, variables: { 'env/X': secret() } }),
      aSet('three', { variables: { 'env/Q': 'q' } }),
      aSet('four', { global: true, variables: { 'env/Q': 'new' }, workspaces: [W1] }),
    ),
  ),
  aCase(
    'renames',
    [
      anObserved('1', 'a', { global: true, variables: { 'env/A': '1' } }),
      anObserved('2', 'b', { priority: true, variables: { 'env/B': '1' } }),
      anObserved('3', 'c', { priority: true, variables: { 'env/A': hidden } }),
    ],
    aDesiredState(
      aSet('b2', { id: 'varset-2', priority: true, variables: { 'env/A': '1', 'env/B': '1' } }),
      aSet('b', { id: 'varset-1', variables: { 'env/A': '2', 'env/C': 'c', 'env/D': 'd' } }),
      aSet('a', { variables: { 'env/N': 'n' }, workspaces: [W1] }),
      aSet('d', { previousNames: ['c'], priority: false, variables: { 'env/A': secret(), 'env/E': 'e' } }),
    ),
  ),
  aCase(
    'secrets',
    [
      anObserved('1', 's', {
        variables: {
          'env/KEEP': hidden,
          'env/TO_READABLE': hidden,
          'env/TO_SECRET': OLD_TEXT,
          'terraform/HCL': { value: hidden, hcl: true },
          'env/EXTERNAL': { value: hidden, description: 'old' },
        },
      }),
    ],
    aDesiredState(
      aSet('s', {
        variables: {
          'env/KEEP': secret('KEEP'),
          'env/TO_READABLE': 'text',
          'env/TO_SECRET': secret('T'),
          'terraform/HCL': { value: secret('H'), hcl: false },
          'env/EXTERNAL': { value: external, description: 'new' },
          'env/NEW': secret('N'),
        },
      }),
    ),
  ),
  aCase(
    'assignments',
    [
      anObserved('1', 'x', { variables: { 'env/A': '1' }, workspaces: [W1, W2], projects: [P2] }),
      anObserved('2', 'y', { variables: { 'env/A': '2' }, workspaces: [W3], projects: [P2], stacks: [S1] }),
      anObserved('3', 'z', {
        variables: { 'env/B': '2' },
        workspaces: [W1, W3],
        projects: [P2],
        stacks: [S1],
      }),
    ],
    aDesiredState(
      aSet('x', { variables: { 'env/A': '1' }, workspaces: [W2, W3], projects: [P2] }),
      aSet('y', { variables: { 'env/A': '2' }, workspaces: [W1], projects: [], stacks: [] }),
      aSet('z', { description: 'now', variables: { 'env/B': '2' }, projects: [P1, P2], stacks: [S2] }),
    ),
  ),
  aCase(
    'creates',
    [],
    aDesiredState(
      aSet('app', { variables: { 'env/A': '1', 'env/S': secret() } }),
      aSet('app-2', { global: true, variables: { 'env/A': '1' } }),
      aSet('app-3', { variables: { 'env/A': '1' }, workspaces: [W1] }),
      aSet('app-4', { priority: true, projects: [P1, P2], stacks: [S1, S2] }),
      aSet('a', {}),
      aSet('b', { description: 'b' }),
    ),
  ),
  aCase(
    'deletes',
    [
      anObserved('1', 'g1', { global: true, variables: { 'env/K': '1', 'env/M': hidden } }),
      anObserved('3', 'old', { variables: { 'env/A': '1' }, workspaces: [W1] }),
      anObserved('4', 'kept', { global: true, variables: { 'env/U': 'u' } }),
    ],
    {
      ...aDesiredState(
        aSet('kept', { global: true, variables: { 'env/K': '2' } }),
        aSet('new', { global: true, variables: { 'env/U': 'u', 'env/M': secret() } }),
        aSet('successor', { variables: { 'env/A': '1' }, workspaces: [W1] }),
      ),
      removed: removed('g1', 'old'),
    },
  ),
  aCase(
    'variables',
    [
      anObserved('1', 'v', {
        variables: { 'env/A': '1', 'env/B': '1', 'env/C': '1', 'terraform/A': '1' },
      }),
      anObserved('2', 'w', { variables: { 'env/A': '1' } }),
    ],
    aDesiredState(
      aSet('v', {
        variables: {
          'env/A': '2',
          'env/B': { value: '1', description: 'now' },
          'terraform/A': { value: '2', hcl: true },
          'terraform/D': '1',
          'env/E': '1',
        },
      }),
      aSet('w', { variables: { 'env/A': '1', 'env/B': '2' } }),
    ),
  ),
  aCase(
    'owners',
    [
      anObserved('1', 'to-project', { global: true, variables: { 'env/A': '1', 'env/S': hidden } }),
      anObserved('2', 'from-project', {
        parent: P1,
        variables: { 'env/B': '1' },
        workspaces: [W1],
        projects: [P1],
        stacks: [S1],
      }),
    ],
    {
      ...aDesiredState(
        aSet('to-project', {
          parent: P2,
          variables: { 'env/B': '2', 'env/S': secret() },
          workspaces: [W2],
          projects: [],
          stacks: [],
        }),
        // Contains everything that the old set contains everywhere.
        aSet('everywhere', { global: true, variables: { 'env/A': '1' } }),
        aSet('from-no-project', {
          previousNames: ['from-project'],
          variables: { 'env/B': '2' },
          workspaces: [W1],
          projects: [P1],
          stacks: [S1],
        }),
      ),
      removed: removedIds('varset-1', 'varset-2'),
    },
  ),
]
