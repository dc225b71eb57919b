import { DETAIL_NAMES, FIELD_NAMES } from '../model/fields.ts'
import { TARGET_KINDS } from '../model/ids.ts'
import { entriesOf, type Node } from './tree.ts'

/** Keys of a file, a set or a base, with the kind of their value. */
export const KEYS_OF_SETS = new Map<string, Node['kind']>([
  ...['variableSets', 'bases', 'env', 'terraform'].map(key => [key, 'map'] as const),
  ...['removed', 'previousNames', ...TARGET_KINDS].map(key => [key, 'list'] as const),
  ...['name', ...DETAIL_NAMES, 'id', 'from'].map(key => [key, 'scalar'] as const),
])
export const isKeyOfSet = (key: string): boolean => KEYS_OF_SETS.has(key)
/** Whether an entry among the names of sets has the form of a key of a set, and not of a set with this name. */
export const isKeyAmongSets = (key: string, value: Node): boolean =>
  KEYS_OF_SETS.get(key) === value.kind && !entriesOf(value).some(entry => KEYS_OF_SETS.has(entry.key))
export const KEYS_OF_VARIABLES: ReadonlySet<string> = new Set([
  ...FIELD_NAMES,
  ...'value secret external file data accept required'.split(' '),
])

/** Whether a text of one line is a form of a value that was quoted as a whole: `"secret: NAME"`. */
export const isQuotedForm = (text: string): boolean => QUOTED_FORM.test(text)

const QUOTED_FORM =
  /^(?:(?:secret|external|data|hcl|file):[ \t].*|\{[ \t]*(?:secret|external):[ \t][^}]*\})$/i
