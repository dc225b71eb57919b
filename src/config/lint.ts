import type { DesiredVariable } from '../model/variable-set.ts'
import { nameOf } from '../model/variable-set.ts'
import type { Findings } from './findings.ts'
import { looksRandom } from './lint-random.ts'
import { NAMED_SHAPES, SHAPES } from './lint-shapes.ts'
import { isTelling, MAYBE_TELLING } from './lint-names.ts'

/**
 * Reports a readable value or a description that looks like a secret (fault-model T-12): an error where a shape is
 * known, a warning where a telling name has a value that reads like chance. Never quotes what it found. `accepted`: the
 * file says that it is none.
 */
export function lintVariable(variable: DesiredVariable, accepted: boolean, findings: Findings): void {
  if (accepted) return
  const name = nameOf(variable.key)
  const { value, description } = variable
  const found = 'text' in value ? secretIn(value.text, name) : undefined
  if (found !== undefined)
    findings[found.certain ? 'error' : 'warning'](
      'looks-like-a-secret',
      variable.source,
      `the value of "${name}" ${found.words}`,
      `Write \`secret: ${/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : 'NAME'}\` and give the value to the run. If it is none, write \`notSecret: true\` beside the value.`,
    )
  if (description !== '') lintDescription(description, variable.source, `the description of "${name}"`, findings)
}

/** Only known shapes: prose has no telling name. */
export function lintDescription(
  text: string,
  source: DesiredVariable['source'],
  label: string,
  findings: Findings,
): void {
  const shape = shapeIn(text)
  if (shape !== undefined)
    findings.error(
      'looks-like-a-secret',
      source,
      `${label} holds ${shape}`,
      'Everybody can read it. Take it out, and replace the secret where it is used.',
    )
}

interface Found {
  readonly certain: boolean
  readonly words: string
}

function secretIn(text: string, name: string): Found | undefined {
  if (text.length < SHORTEST) return undefined
  const shape = shapeIn(text) ?? namedShapeOf(name, text)
  if (shape !== undefined) return { certain: true, words: `holds ${shape}` }
  const isAlone = isTelling(name) && isLiteral(text) && looksRandom(text)
  return isAlone ? RANDOM : secretInside(text)
}

const RANDOM: Found = { certain: false, words: 'looks like a secret: its name says so, and it reads like chance' }

/** Below this there is neither a known shape nor enough to judge. */
const SHORTEST = 10

function shapeIn(text: string): string | undefined {
  if (!SIGNS.test(text)) return undefined
  for (const { name, signs, pattern } of SHAPES)
    if (signs.some(sign => text.includes(sign)) && isReal(pattern, text)) return name
  return undefined
}

const SIGNS = new RegExp(SHAPES.flatMap(({ signs }) => signs.map(sign => RegExp.escape(sign))).join('|'))
