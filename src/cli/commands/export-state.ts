import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { SECRET_PREFIX } from '../../apply/secrets.ts'
import { loadRepositoryContext } from '../../config/load.ts'
import {
  exportFromState,
  type Leaving,
  leavingTerraform,
  type StateExport,
  type StateExportRequest,
} from '../../export/from-state.ts'
import type { NeededSecret } from '../../export/secret-names.ts'
import { readState } from '../../export/state-json.ts'
import { type Checked, type Diagnostic, hasErrors } from '../../model/diagnostic.ts'
import { quotedText, sealLines } from '../../report/neutralise.ts'
import { counted } from '../../report/phrase.ts'
import { EXIT } from '../command.ts'
import { type Io, sayDiagnostics } from '../io.ts'
import { loadOptions } from '../load.ts'
import type { Options } from '../options.ts'
import { writeSets } from '../write-sets.ts'

/** Files from a Terraform state, without a connection. */
export async function exportState(
  io: Io,
  options: Options,
  source: string,
  organization: string | undefined,
): Promise<number> {
  const wishes = await stateRequest(io, options, organization)
  if (wishes === undefined) return EXIT.error
  const text = await readSource(io, options, source)
  if (text === undefined) return EXIT.error
  const state = readState(text)
  sayDiagnostics(io, options, state.diagnostics)
  if (state.value === undefined) return EXIT.error
  const exported = exportFromState(state.value, { ...wishes, references: options.secrets !== 'external' })
  const diagnostics = [...exported.diagnostics, ...noSets(exported)]
  sayDiagnostics(io, options, diagnostics)
  if (hasErrors(diagnostics)) return EXIT.error
  const code = await writeSets(io, options, exported.sets)
  if (code !== EXIT.done) return code
  if (options.out !== undefined) io.stdout.write(leavingText(exported))
  else
    io.stderr.write(
      'Add --out DIR to print the next steps: the secrets to provide, and how to release the sets from Terraform.\n',
    )
  return EXIT.done
}

/** Uses the configuration if there is one, and does not require it. */
async function stateRequest(
  io: Io,
  options: Options,
  organization: string | undefined,
): Promise<StateExportRequest | undefined> {
  const bare = { only: options.only, owns: [], directory: { workspaces: [], projects: [] } }
  if (organization !== undefined) return { ...bare, organization }
  const { value, diagnostics } = await loadRepositoryContext(loadOptions(io, options))
  if (diagnostics.some(({ code }) => code === 'no-configuration') && options.config === undefined) return bare
  sayDiagnostics(io, options, diagnostics)
  return value && { ...value, only: options.only }
}

async function readSource(io: Io, options: Options, source: string): Promise<string | undefined> {
  if (source !== '-') return decoded(io, options, await readBounded(resolve(io.cwd, source)))
  const { all } = io.input()
  if (all !== undefined) return await all()
  sayDiagnostics(io, options, [NOTHING_PIPED])
  return undefined
}

const MOST_BYTES = 512 * 1024 * 1024

async function readBounded(path: string): Promise<Checked<Buffer>> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of createReadStream(path)) {
    chunks.push(chunk)
    length += chunk.length
    if (length > MOST_BYTES) return { value: undefined, diagnostics: [TOO_LARGE] }
  }
  return { value: Buffer.concat(chunks), diagnostics: [] }
}

/** PowerShell writes UTF-16 when it redirects output. */
function decoded(io: Io, options: Options, { value, diagnostics }: Checked<Buffer>): string | undefined {
  sayDiagnostics(io, options, diagnostics)
  if (value === undefined) return undefined
  return value[0] === 0xff && value[1] === 0xfe ? value.toString('utf16le') : value.toString('utf8')
}

/** A state without any set is most likely the wrong state. */
const noSets = ({ sets, diagnostics }: StateExport): Diagnostic[] =>
  sets.length > 0 || diagnostics.length > 0
    ? []
    : [
        {
          severity: 'error',
          code: 'state-incomplete',
          message: 'The state manages no variable set: it has no tfe_variable_set.',
          hint: 'Check that this is the state of the configuration that declares them.',
        },
      ]

const TOO_LARGE: Diagnostic = {
  severity: 'error',
  code: 'file-limit',
  message: 'The state is larger than 512 MB.',
}

const NOTHING_PIPED: Diagnostic = {
  severity: 'error',
  code: 'bad-usage',
  message: 'There is no input on stdin.',
  hint: 'Run: terraform state pull | setpoint export --terraform-state -',
}

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
    `Take these instances out of the state before the configuration changes: a \`removed\` block takes a whole resource,
and some instances stay with ${name}, of ${mixed.join(', ')}.
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

/** The secrets to provide after an export that wrote references. Empty if it wrote none. */
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
