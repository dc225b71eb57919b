import { idsOf, type ProjectId, type StackId, type VariableKey, type WorkspaceId } from '../../model/ids.ts'

/** What a plan does to workspaces. For the reader: nothing decides by it, and the digest does not cover it. */
export interface EffectiveFacts {
  readonly effective: EffectiveDifference
  readonly exposure: Exposure
  /** What workspaces see while a set has another name, before the one that replaces it exists; left out: nothing else. */
  readonly meanwhile?: readonly EffectGroup[]
}

/**
 * What happens to one key: nobody gave it and now somebody does; the other way round; its set gives another value; another
 * set gives it, with another value or with the same one.
 */
export type EffectKind = 'gained' | 'lost' | 'value' | 'winner' | 'source'

/** Why the set that gave it before does not any more: it no longer comes there with the key, or another one is stronger. */
export type EffectReason = 'gone' | PrecedenceReason

/** Why one source of a variable beats another. */
export type PrecedenceReason = 'priority' | 'scope' | 'name'

/** The set that gives a variable. */
export interface Giver {
  readonly set: string
  /** Left out where it is long, not of our sets, or where the key is a secret anywhere. */
  readonly text?: string
  readonly secret?: true
}

export interface Effect {
  readonly kind: EffectKind
  readonly key: VariableKey
  readonly before?: Giver
  readonly after?: Giver
  /** Where another set gives it. */
  readonly why?: EffectReason
}

/** Workspaces that see the same. */
export interface Audience {
  /** How many known workspaces. */
  readonly count: number
  /** Their ids by name, the first of them only. */
  readonly workspaces: readonly WorkspaceId[]
  /** Projects whose other workspaces see the same; how many those are is not known. */
  readonly projects: readonly ProjectId[]
  /** Every other workspace sees the same. */
  readonly others: boolean
}

export interface EffectGroup extends Audience {
  readonly effects: readonly Effect[]
}

/**
 * What one set does to values that workspaces had: it wins over other sets, no longer gives what another set then gives, gives
 * another value itself, or takes variables away. Its audience sees at least one of `values`.
 */
export interface Displacement extends Audience {
  readonly kind: 'override' | 'fallback' | 'value' | 'lost'
  readonly set: string
  readonly values: readonly DisplacedValue[]
  /** A set with priority gives it, before or after: a workspace that has the variable by itself sees it as well. */
  readonly certain?: true
}

/** One key, with who gave and who gives it. */
export interface DisplacedValue {
  readonly key: VariableKey
  readonly before?: Giver
  readonly after?: Giver
  /** Who sees that, where it is not everybody of the displacement; of one key no two have a workspace in common. */
  readonly audience?: Audience
}

/** A new variable, or a new value, that nobody sees: another set gives the key to everybody to whom its set comes. */
export interface UnseenVariable {
  readonly set: string
  readonly key: VariableKey
  /** One of the sets that win. */
  readonly winner: string
}

/** What workspaces see otherwise after a plan, their own variables aside: those are not read. */
export interface EffectiveDifference {
  /**
   * `workspaces`: the directory says which there are and of which project. `projects`: it does not, so that what a project
   * or everybody receives is told of projects and of all others.
   */
  readonly level: 'workspaces' | 'projects'
  /** How many workspaces are known by name or id. */
  readonly known: number
  /** Of those, whose project is not known. */
  readonly withoutProject: number
  /** Which workspaces there are, or of which project, is what the directory file says, and the service was not asked. */
  readonly claimed?: true
  /** Known workspaces that see a change. */
  readonly changed: number
  /** Sets of others were not seen whole, as in a snapshot; they may win over some of this. */
  readonly partial?: true
  /** Some of those that see a change see none where a variable that they have by themselves wins. */
  readonly unlessOwn: boolean
  /** Where that is so for some only: of `changed`, those that see one whatever they have. */
  readonly certain?: number
  /** The most telling ones first. */
  readonly groups: readonly EffectGroup[]
  /** Effects that are not in `groups`, for there are too many. */
  readonly left: number
  /** All values that workspaces lose or get others for, set by set; left out where there are none. */
  readonly displaced?: readonly Displacement[]
  /** What changes and nobody sees, by set and key; left out where there is nothing of the kind. */
  readonly unseen?: readonly UnseenVariable[]
  /** Those that are not in `unseen`, for there are too many. */
  readonly unseenLeft?: number
}

/** Who newly receives what. */
export interface Exposure {
  readonly secrets: readonly SecretExposure[]
  readonly global: readonly GlobalExposure[]
  /** Left out where there are none. */
  readonly added?: readonly AddedExposure[]
  /** Which Stacks there are, and of which project, is what the directory file says. */
  readonly stacksClaimed?: true
}

/** Secrets of one set that come to where they were not before, whether they win there or not. */
export interface SecretExposure {
  readonly set: string
  readonly keys: readonly VariableKey[]
  /** The set is global, or becomes it. */
  readonly everywhere: boolean
  readonly workspaces: readonly WorkspaceId[]
  readonly projects: readonly ProjectId[]
  /** Left out where there are none. */
  readonly stacks?: readonly StackId[]
  /** How many workspaces that is; left out where nobody knows. */
  readonly count?: number
  /** How many Stacks, with those of the projects; left out where nobody knows, or there are none. */
  readonly stackCount?: number
}

/** A set that everybody receives from now on. */
export interface GlobalExposure {
  readonly set: string
  readonly keys: readonly VariableKey[]
  readonly count?: number
  readonly stackCount?: number
}

/** New variables of a set that was global, or had priority, before. */
export interface AddedExposure extends GlobalExposure {
  readonly global: boolean
  readonly priority: boolean
}

/** Ids that the facts mention. */
export const idsIn = ({ effective, exposure, meanwhile = [] }: EffectiveFacts): string[] =>
  [
    ...effective.groups,
    ...meanwhile,
    ...(effective.displaced ?? []).flatMap(one => [
      one,
      ...one.values.flatMap(({ audience }) => audience ?? []),
    ]),
    ...exposure.secrets,
  ].flatMap(idsOf)
