import { categoryOf, nameOf } from '../model/ids.ts'
import { type Alert, alert } from './alert.ts'
import type { Change, Context } from './change.ts'
import { globalReach, secretsThatReach } from './exposure.ts'
import { listed, message, name } from './phrase.ts'
import type { SetView } from './sets.ts'

export function alertsOf(context: Context, sets: readonly SetView[]): Alert[] {
  return [
    ...blocks(context),
    ...secretsThatReach(context),
    ...becomeGlobal(context),
    ...gainPriority(context),
    ...becomeReadable(sets),
    ...gaps(context),
    ...lost(sets),
    ...changedOutside(context),
  ]
}

const changedOutside = ({ plan }: Context): Alert[] =>
  plan.steps.flatMap(({ operation, source }) => {
    if (operation.type !== 'update-variable' || operation.rewrite !== 'changed-outside') return []
    const what = [name(operation.subject.name), ' ', name(nameOf(operation.after.key))]
    return [alert('drift', [...what, ' was possibly changed outside; it is written again'], source)]
  })

const blocks = ({ plan }: Context): Alert[] =>
  plan.blocks.map(block => alert('blocked', [message(block.message)], block.source))

const becomeGlobal = (context: Context): Alert[] =>
  context.plan.steps.flatMap(({ operation, source }) => {
    const isCreated = operation.type === 'create-set' && operation.after.global
    const becomes = operation.type === 'update-set' && !operation.before.global && operation.after.global
    if (!isCreated && !becomes) return []
    const who = globalReach(operation.subject.name, context) ?? ['every workspace receives its variables']
    const how = isCreated ? ' is created global: ' : ' becomes global: '
    return [alert('global', [name(operation.subject.name), how, ...who], source)]
  })

const gainPriority = ({ plan }: Context): Alert[] =>
  plan.steps.flatMap(({ operation, source }) => {
    if (operation.type !== 'create-set' && operation.type !== 'update-set') return []
    if (!operation.after.priority) return []
    if (operation.type === 'update-set' && operation.before.priority) return []
    const how = operation.type === 'create-set' ? 'is created with priority' : 'gains priority'
    const phrase = [
      name(operation.subject.name),
      ` ${how}: its values override all others, the command line included`,
    ]
    return [alert('priority', phrase, source)]
  })

const isMadeReadable = (change: Change): boolean =>
  change.kind === 'variable' && change.before.kind === 'secret' && change.after.kind === 'hidden'

const becomeReadable = (sets: readonly SetView[]): Alert[] =>
  sets.flatMap(set =>
    set.changes.flatMap(change =>
      change.kind === 'variable' && isMadeReadable(change)
        ? [
            alert(
              'readable',
              [name(set.name), ' ', name(change.name), ' stops being sensitive'],
              change.source,
            ),
          ]
        : [],
    ),
  )

const gaps = ({ plan }: Context): Alert[] =>
  plan.facts.gaps.map(({ key, from, to }) => {
    const what = [`${categoryOf(key)} `, name(nameOf(key)), ' leaves global ', name(from)]
    return alert('gap', [...what, ' before ', name(to), ' may hold it: a moment without'], undefined)
  })

/** Hidden values that go and that this run does not write anew. */
const lost = (sets: readonly SetView[]): Alert[] =>
  sets.flatMap(set => {
    const gone = set.changes.flatMap(change =>
      change.kind === 'variable' && change.irreversible && !isMadeReadable(change) ? [change.name] : [],
    )
    if (gone.length === 0) return []
    const one = gone.length === 1
    const then = one ? ' is deleted; no one can read it back' : ' are deleted; no one can read them back'
    return [alert('lost', [name(set.name), ' ', ...listed(gone), then], set.source)]
  })
