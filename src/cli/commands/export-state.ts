import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { loadRepositoryContext } from '../../config/load.ts'
import {
  exportFromState,
  type Leaving,
  leavingTerraform,
  type StateExport,
  type StateExportRequest,
} from '../../export/from-state.ts'
import { readState } from '../../export/state-json.ts'
import { type Diagnostic, mistake } from '../../model/diagnostic.ts'
import type { WantedSecret } from '../../model/variable-set.ts'
import { sealLines } from '../../report/neutralise.ts'
import { EXIT, fail, misuse, required } from '../command.ts'
import type { Call } from '../io.ts'
import { loadOptions } from '../load.ts'
import { hideEnvironment } from '../planning.ts'
import { secretLine, writeSets } from '../write-sets.ts'

/** Files from a Terraform state, without a connection. */
export async function exportState(
  io: Call,
  source: string,
  organization: string | undefined,
): Promise<number> {
  const wishes = await stateRequest(io, organization)
  const state = required(io, readState(await readSource(io, source)))
  hideEnvironment(io, undefined)
  const references = io.options.secrets !== 'external'
  const exported = exportFromState(state, { ...wishes, references, known: io.redactor })
  required(io, { value: exported, diagnostics: [...exported.diagnostics, ...noSets(exported)] })
  await writeSets(io, exported.sets)
  if (io.options.out !== undefined) io.stdout.write(leavingText(exported))
  else
    io.stderr.write(
      'Add --out DIR to print the next steps: the secrets to provide, and how to release the sets from Terraform.\n',
    )
  return EXIT.done
}

/** Uses the configuration if there is one, and does not require it. */
async function stateRequest(
  io: Call,
  organization: string | undefined,
): Promise<Omit<StateExportRequest, 'known'>> {
  const { only, config } = io.options
  const bare = { only, owns: [] }
  if (organization !== undefined) return { ...bare, organization }
  const context = await loadRepositoryContext(loadOptions(io))
  const isBare = context.diagnostics.some(({ code }) => code === 'no-configuration') && config === undefined
  return isBare ? bare : { ...required(io, context), only }
}

async function readSource(io: Call, source: string): Promise<string> {
  if (source !== '-') return await readBounded(io, resolve(io.cwd, source))
  const { all } = io.input()
  return all === undefined
    ? misuse(
        io,
        'There is no input on stdin.',
        'Run: terraform state pull | setpoint export --terraform-state -',
      )
    : await all()
}

const MOST_BYTES = 512 * 1024 * 1024

async function readBounded(io: Call, path: string): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of createReadStream(path)) {
    chunks.push(chunk)
    length += chunk.length
    if (length > MOST_BYTES) fail(io, mistake('file-limit', 'The state is larger than 512 MB.'))
  }
  const bytes = Buffer.concat(chunks)
  // PowerShell writes UTF-16 when it redirects output.
  return bytes.toString(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf16le' : 'utf8')
}

/** A state without any set is most likely the wrong state. */
const noSets = ({ sets, diagnostics }: StateExport): Diagnostic[] =>
  sets.length > 0 || diagnostics.length > 0
    ? []
    : [
        mistake(
          'state-incomplete',
          'The state manages no variable set: it has no tfe_variable_set.',
          'Check that this is the state of the configuration that declares them.',
        ),
      ]

/** Text and commands to copy, alternating. */
type LeavingStep = readonly string[]

/** What to do after an export from a Terraform state. In this order, nothing is destroyed and nothing is created twice. */
function leavingText({ secrets, leaving, staying }: StateExport): string {
  if (leaving.length === 0) return ''
  const ways = leavingTerraform(leaving, staying)
  const name = ways.tool === 'tofu' ? 'OpenTofu' : 'Terraform'
  const steps: LeavingStep[] = [
    [
      `Review and merge the files. Next to their folder, add a setpoint.yaml with \`organization: NAME\`.${secretsText(secrets)}`,
    ],
    [
      `Run setpoint plan. If it shows changes, the service was changed since ${name} last read it. To write
the live values into the files, run setpoint export --update SET. Repeat until the plan is empty.`,
    ],
    ...(ways.first === '' ? [] : [firstStep(ways, name)]),
    lastStep(ways, name),
  ]
  const paragraphs = [
    `Follow these steps in order. Until step 2 is done, you can stop at any time: ${name} still manages the sets.`,
    ...steps.flatMap((step, at) =>
      step.map((part, index) => (index % 2 === 1 ? part : prose(part, index, at + 1))),
    ),
    'Delete the state file when you are done: it contains the values of secrets in clear text.',
  ]
  return sealLines(`\n${paragraphs.map(paragraph => paragraph.trimEnd()).join('\n\n')}\n`)
}

/** Indented below the number of the step. */
const prose = (text: string, index: number, number: number): string =>
  `${index === 0 ? `${number}.` : '  '} ${text.replaceAll('\n', '\n   ')}`

/** A change of the configuration destroys these instances while they are in the state. */
function firstStep({ mixed, first, isCounted }: Leaving, name: string): LeavingStep {
  const moves = isCounted
    ? '\nIf a module has a `count`, also move the modules after them to their new indexes.'
    : ''
  return [
    `Remove these instances from the state before you change the configuration: a \`removed\` block covers a complete
resource, and some instances stay with ${name}, of ${mixed.join(', ')}.
Do not apply until the next step is done: an apply would create them again.${moves}`,
    first,
  ]
}

function lastStep({ tool, mixed, removed, instead }: Leaving, name: string): LeavingStep {
  const parts = 'remove the instances of step 3 from their `for_each` or `count`'
  const wholes = `replace the resources that leave by these blocks (${name} 1.7 or newer)`
  const edits = mixed.length === 0 ? wholes : removed === '' ? parts : `${parts};\n${wholes}`
  const change = `Change the configuration: ${edits}.
Run \`${tool} plan\`: it must add and destroy nothing. Then run \`${tool} apply\`.`
  if (removed === '') return [change]
  return [
    tool === 'tofu'
      ? `${change}
OpenTofu before 1.10: omit \`lifecycle\`. Its blocks never destroy.`
      : change,
    removed,
    `Or, instead of the blocks, run these commands before you change the configuration. Do not apply
in between:`,
    instead,
  ]
}

function secretsText(secrets: readonly WantedSecret[]): string {
  if (secrets.length === 0) return ''
  return [
    `\nAn apply that sends ${secrets.length === 1 ? 'this secret' : 'one of these secrets'} needs its value`,
    '(a block to paste: setpoint secrets --format github, gitlab or dotenv):',
    ...secrets.map(secretLine),
  ].join('\n')
}
