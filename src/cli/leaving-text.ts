import { SECRET_PREFIX } from '../apply/secrets.ts'
import { type Leaving, leavingTerraform, type StateExport } from '../export/from-state.ts'
import type { NeededSecret } from '../export/secret-names.ts'
import { quotedText, sealLines } from '../report/neutralise.ts'
import { counted } from '../report/phrase.ts'

/** Prose and what is to be copied, in turn. */
type Step = readonly string[]

/** What to do after an export from a Terraform state, in this order, so that nothing is destroyed or made twice. */
export function leavingText({ secrets, leaving, staying }: StateExport): string {
  if (leaving.length === 0) return ''
  const ways = leavingTerraform(leaving, staying)
  const name = ways.tool === 'tofu' ? 'OpenTofu' : 'Terraform'
  const steps: Step[] = [
    [
      `Review and merge the files, and beside their folder a setpoint.yaml that says \`organization: NAME\`.${secretsText(secrets)}`,
    ],
    [
      `Run setpoint plan until it has nothing to do. What differs was changed in the service, or by another state, since
${name} last looked: setpoint export --update SET takes it into the files.`,
    ],
    ...(ways.first === '' ? [] : [firstStep(ways, name)]),
    lastStep(ways, name),
  ]
  const paragraphs = [
    `Follow these steps in this order. Up to step 2 you can stop at any time: ${name} goes on managing the sets.`,
    ...steps.flatMap((step, at) =>
      step.map((part, index) => (index % 2 === 1 ? part : prose(part, index, at + 1))),
    ),
    'Throw the state file away when you are done: it holds the values of secrets in clear text.',
  ]
  return sealLines(`\n${paragraphs.map(paragraph => paragraph.trimEnd()).join('\n\n')}\n`)
}

/** Indented below the number of the step. */
const prose = (text: string, index: number, number: number): string =>
  `${index === 0 ? `${number}.` : '  '} ${text.replaceAll('\n', '\n   ')}`

/** A configuration that changes while these instances are in the state destroys them. */
function firstStep({ mixed, first, isCounted }: Leaving, name: string): Step {
  const moves = isCounted
    ? '\nWhere a module has a `count`, also move the modules behind them to their new numbers.'
    : ''
  return [
    `Take these instances out of the state before the configuration changes: a \`removed\` block takes a whole resource,
and some instances stay with ${name}, of ${mixed.join(', ')}.
Let nobody apply until the next step is done: an apply would create them again.${moves}`,
    first,
  ]
}

function lastStep({ tool, mixed, removed, instead }: Leaving, name: string): Step {
  const parts = 'take the instances of step 3 out of their `for_each` or `count`'
  const wholes = `delete the resources that leave, and put these blocks in their place (${name} 1.7 or newer)`
  const edits = mixed.length === 0 ? wholes : removed === '' ? parts : `${parts};\n${wholes}`
  const change = `Change the configuration: ${edits}.
Run \`${tool} plan\`: it has to add and destroy nothing. Then run \`${tool} apply\`.`
  if (removed === '') return [change]
  return [
    tool === 'tofu'
      ? `${change}
OpenTofu before 1.10: leave \`lifecycle\` out. Its blocks never destroy.`
      : change,
    removed,
    `Or, instead of the blocks, run these commands before you change the configuration, and let nobody apply
in between:`,
    instead,
  ]
}

function secretsText(secrets: readonly NeededSecret[]): string {
  if (secrets.length === 0) return ''
  return [
    `\nAn apply that sends ${secrets.length === 1 ? 'this secret' : 'one of these secrets'} needs its value`,
    '(a block to paste: setpoint secrets --format github, gitlab or dotenv):',
    ...secrets.map(secretLine),
  ].join('\n')
}

const secretLine = ({ name, uses }: NeededSecret): string =>
  `  ${SECRET_PREFIX}${name}  ${uses.map(({ set, key }) => `${quotedText(set)} ${quotedText(key)}`).join(', ')}`

/** What has to be provided after an export that wrote references. Empty where it wrote none. */
export const referencesText = (secrets: readonly NeededSecret[]): string =>
  secrets.length === 0
    ? ''
    : sealLines(
        [
          `${counted(secrets.length, 'secret')} to provide, for an apply that sends one (setpoint secrets --format github, gitlab or dotenv):`,
          ...secrets.map(secretLine),
          '',
        ].join('\n'),
      )
