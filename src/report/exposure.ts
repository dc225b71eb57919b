import { nameOf } from '../model/ids.ts'
import type { SecretExposure } from '../plan/effective/exposure.ts'
import { type Alert, alert } from './alert.ts'
import type { Context } from './change.ts'
import { namesOf } from './changes.ts'
import { counted, figure, joined, listed, name, type Phrase } from './phrase.ts'

/** Secrets that come to where they were not, those included that do not change but whose set comes to more. */
export function secretsThatReach(context: Context): Alert[] {
  return context.plan.facts.exposure.secrets.map(exposed => {
    const reach = exposed.keys.length === 1 ? ' newly reaches ' : ' newly reach '
    const secrets = listed(exposed.keys.map(nameOf))
    const phrase = [name(exposed.set), ' ', ...secrets, reach, ...whereOf(exposed, context)]
    return alert('secret', phrase, placeOf(exposed.set, context))
  })
}

const placeOf = (set: string, { plan }: Context) =>
  plan.steps.find(({ operation, source }) => operation.subject.name === set && source !== undefined)?.source

/** `14 workspaces (project payments)`; without a count where nobody knows how many that is. */
function whereOf({ everywhere, workspaces, projects, count }: SecretExposure, context: Context): Phrase {
  const filed = filedIn(context)
  if (everywhere)
    return [count === undefined ? 'every workspace' : `every workspace (${figure(count)}${filed})`]
  const isTold = count !== undefined && count > 0 && projects.length > 0
  if (!isTold)
    return joined(
      [...targets(projects, 'project', context), ...targets(workspaces, 'workspace', context)],
      ' and ',
    )
  const owning = [`project${projects.length === 1 ? '' : 's'} `, ...listed(namesOf(projects, context.plan))]
  const beside = workspaces.length === 0 ? [] : ['; ', ...listed(namesOf(workspaces, context.plan))]
  return [`${counted(count, 'workspace')}${filed} (`, ...owning, ...beside, ')']
}

/** A count of what the service was not asked for says so. */
const filedIn = ({ plan }: Context): string =>
  plan.facts.effective.claimed === true ? ' in the directory file' : ''

function targets(ids: readonly string[], noun: string, { plan }: Context): Phrase[] {
  if (ids.length === 0) return []
  const names = namesOf(ids, plan)
  if (ids.length === 1) return [[`${noun} `, ...listed(names)]]
  return [[`${counted(ids.length, noun)} (`, ...listed(names), ')']]
}

/** `every workspace receives HTTP_PROXY, NO_PROXY`, with their number where it is known. */
export function globalReach(set: string, context: Context): Phrase | undefined {
  const found = context.plan.facts.exposure.global.find(exposed => exposed.set === set)
  if (found === undefined) return undefined
  const { keys, count } = found
  const who =
    count === undefined
      ? 'every workspace receives '
      : `${counted(count, 'workspace')}${filedIn(context)} ${count === 1 ? 'receives' : 'receive'} `
  return [who, ...(keys.length === 0 ? ['nothing yet'] : listed(keys.map(nameOf)))]
}
