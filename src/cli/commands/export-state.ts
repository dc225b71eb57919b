import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { loadDesired, loadRepositoryContext } from '../../config/load.ts'
import { exportFromState, type StateExport, type StateExportRequest } from '../../export/from-state.ts'
import { readState } from '../../export/state-json.ts'
import { type Counted, type Leaving, leavingTerraform } from '../../export/state-leaving.ts'
import { type Diagnostic, mistake } from '../../model/diagnostic.ts'
import { shortList } from '../../model/lists.ts'
import type { WantedSecret } from '../../model/variable-set.ts'
import { quotedText, sealLines, shellWord } from '../../report/neutralise.ts'
import { fail, misuse, required } from '../../run/commands/ending.ts'
import { optionsOfOut } from '../../run/commands/export.ts'
import { EXIT } from '../../run/exit-codes.ts'
import { secretsBeside } from '../../run/files-of-out.ts'
import { hideEnvironment } from '../../run/run-secrets.ts'
import type { CommandContext } from '../io.ts'
import { secretLine, writeSets } from '../write-sets.ts'

/** Files from a Terraform state, without a connection. */
export async function exportState(
  io: CommandContext,
  source: string,
  organization: string | undefined,
): Promise<number> {
  const { out, secrets } = io.options
  const wishes = await stateRequest(io, organization)
  const state = required(io, readState(await readSource(io, source)))
  hideEnvironment(io, (await loadDesired(optionsOfOut(io))).value)
  const exported = exportFromState(state, {
    ...wishes,
    references: secrets !== 'external',
    known: io.redactor,
    used: names => secretsBeside(resolve(io.cwd, out ?? '.'), names),
  })
  required(io, { value: exported, diagnostics: [...exported.diagnostics, ...noSets(exported)] })
  await writeSets(io, exported.sets)
  if (out !== undefined) io.stdout.write(leavingText(exported))
  else
    io.stderr.write(
      'Add --out DIR to print the next steps: the secrets to provide, and how to release the sets from Terraform.\n',
    )
  return EXIT.done
}

/** Uses the configuration if there is one, and does not require it. */
async function stateRequest(
  io: CommandContext,
  organization: string | undefined,
): Promise<Omit<StateExportRequest, 'known'>> {
  const { only, config } = io.options
  const bare = { only, owns: [] }
  if (organization !== undefined) return { ...bare, organization }
  const context = loadRepositoryContext(optionsOfOut(io))
  const isBare = context.diagnostics.some(({ code }) => code === 'no-configuration') && config === undefined
  return isBare ? bare : { ...required(io, context), only }
}

async function readSource(io: CommandContext, source: string): Promise<string> {
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

const READABLE = 'Write the path of an existing file, relative to the current directory.'
const MOST_BYTES = 512 * 1024 * 1024

async function readBounded(io: CommandContext, path: string): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of createReadStream(path)) {
      chunks.push(chunk)
      length += chunk.length
      if (length > MOST_BYTES) break
    }
  } catch {
    fail(io, mistake('unreadable-file', 'The file of the state cannot be read.', READABLE))
  }
  if (length > MOST_BYTES) fail(io, mistake('file-limit', 'The state is larger than 512 MB.'))
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
function leavingText(exported: StateExport): string {
  const { sets, secrets, leaving, staying, stayingSets } = exported
  if (leaving.length === 0) return ''
  const ways = leavingTerraform(leaving, staying)
  const name = ways.tool === 'tofu' ? 'OpenTofu' : 'Terraform'
  const steps: LeavingStep[] = [
    [
      `Review and merge the files. Next to their folder, add a setpoint.yaml with \`organization: NAME\`.${secretsText(secrets)}`,
    ],
    [
      `Run setpoint plan. It must say "No changes" before you go on. Do not apply it: what it would delete or unassign is not
in this state, because another state or a person made it, and what it would create is gone, or on another host.
This writes the live values into the files:`,
      `setpoint export ${sets.map(set => `--update ${shellWord(set.name)}`).join(' \\\n  ')}\n`,
    ],
    ...(ways.first === '' ? [] : [firstStep(ways, name)]),
    changeStep(ways, name),
    ...(ways.removed === '' ? [] : [blocksStep(ways)]),
  ]
  const paragraphs = [
    `Before you change ${name}, all of this must be true. Otherwise stop: you can stop until the end of step 2.`,
    [...conditions(ways, stayingSets, name), ...unlikeFiles(exported, ways.tool, name)]
      .map(one => `- ${one.replaceAll('\n', '\n  ')}`)
      .join('\n'),
    ...steps.flatMap((step, at) =>
      step.map((part, index) => (index % 2 === 1 ? part : prose(part, index, at + 1))),
    ),
    `The values of secrets remain in clear text where the state was: in old versions of a remote backend, in
terraform.tfstate.backup and terraform.tfstate.*.backup of a local one, and in each file with a copy. Delete the copies
that you do not need, and rotate the secrets. The state itself still manages what stays.`,
  ]
  return sealLines(`\n${paragraphs.map(paragraph => paragraph.trimEnd()).join('\n\n')}\n`)
}

/** What has to be true before a step changes anything in Terraform. */
const conditions = ({ modules }: Leaving, stayingSets: readonly string[], name: string): string[] => [
  `Every state of this configuration is exported, and its plan is empty (steps 1 and 2): each CLI workspace, and each remote
workspace with the same code. The change of the configuration reaches all of them.`,
  ...(modules.length === 0
    ? []
    : [
        `You can edit these modules: ${modules.join(', ')}. If you cannot, such as a module of a registry, everything
in it has to leave: then remove it with the commands of the last steps, and delete its call. If something in it stays,
even of another provider, there is no safe way without a version of the module that does not have the sets.`,
      ]),
  stayingSets.length === 0
    ? `No set is to stay with ${name}. To leave some there, do not delete their files: export again, into an empty
directory, with --only NAME for each set that leaves.`
    : `These sets are to stay with ${name}: ${shortList(stayingSets.map(quotedText))}.`,
  'Nobody applies until the last step is done, and no pipeline does.',
]

/** What a state has and files do not: values that follow other resources, and objects that Terraform was about to replace or destroy. */
function unlikeFiles({ computed, leaving, deposed }: StateExport, tool: string, name: string): string[] {
  const lines = (list: readonly string[]): string => list.map(one => `\n  ${one}`).join('')
  const tainted = leaving.filter(({ isTainted }) => isTainted)
  return [
    ...(computed.length === 0
      ? []
      : [
          `These values may be made of other resources, and the files have what they were. Nothing changes a file when its resource
changes, such as a role that is made again or a password that is rotated:${lines(
            computed.map(
              ({ set, key, address, from }) =>
                `${quotedText(set)} ${quotedText(key)} (${address}) from ${from.join(', ')}`,
            ),
          )}
For each of them there are two ways. Leave its set with ${name}: export again, into an empty directory, with --only
NAME for each set that leaves. Or write \`external: true\` in the file, and let whatever makes the value set it in the
service, or \`secret: NAME\`, and let it pass the value to the apply. What is only copied has to be changed by hand.`,
        ]),
    ...(tainted.length === 0
      ? []
      : [
          `These objects are tainted: ${name} would replace them with its next apply, and after these steps nobody does. Run
\`${tool} apply\` before you begin, or check in step 2 that they are complete:${lines(tainted.map(({ address }) => address))}`,
        ]),
    ...(deposed.length === 0
      ? []
      : [
          `These objects are deposed: ${name} made others in their place and has not destroyed them, and after these steps nobody
does. They are in no file. Run \`${tool} apply\` before you begin, which destroys them, or delete them in the service:${lines(
            deposed.map(
              ({ address, deposed: key, values }) => `${address} (deposed ${key}): ${idText(values.id)}`,
            ),
          )}`,
        ]),
  ]
}

const idText = (id: unknown): string => (typeof id === 'string' ? quotedText(id) : 'without an id')

/** Indented below the number of the step. */
const prose = (text: string, index: number, number: number): string =>
  `${index === 0 ? `${number}.` : '  '} ${text.replaceAll('\n', '\n   ')}`

/** A change of the configuration destroys these instances while they are in the state. */
function firstStep({ mixed, first, counted, isCounted }: Leaving, name: string): LeavingStep {
  const moves = isCounted
    ? '\nIf a module has a `count`, also move the modules after them to their new indexes.'
    : ''
  const texts = counted.map(countedText)
  return [
    `Remove these instances from the state before you change the configuration: a \`removed\` block covers a complete
resource, and some instances stay with ${name}, of ${mixed.join(', ')}. In every other state of the configuration, run
the commands that its export printed. Do not apply until the next step is done: an apply would create them again.${moves}`,
    first,
    ...(texts.length === 0 ? [] : [`In the configuration of the next step:\n${texts.join('\n')}`]),
  ]
}

/** The instances that stay get lower numbers, and what is made from the number must not change. */
function countedText({ resource, kept }: Counted): string {
  const isMoved = kept.some((index, to) => index !== to)
  const instead = isMoved ? `, and replace count.index by [${kept.join(', ')}][count.index]` : ''
  return `- ${resource}: set count to ${kept.length}${instead}.`
}

const ZERO = '`0 to add, 0 to change, 0 to destroy`'

function changeStep({ tool, mixed, removed, instead, data }: Leaving, name: string): LeavingStep {
  const parts = 'remove the instances of step 3 from their `for_each` or `count`'
  const wholes = `replace the resources that leave by the blocks below (${name} 1.7 or newer)`
  const edits = mixed.length === 0 ? wholes : removed === '' ? parts : `${parts};\n${wholes}`
  const change = `Change the configuration: ${edits}.
Delete the \`import\` blocks of what leaves in the same change: they would be an error.
Whatever stays and names a set that leaves, outputs included, needs a data source instead, with a name that is
right for each state, such as:`
  const check = `In every state of the configuration, run \`${tool} plan\`. It must say ${ZERO}, or \`No changes\`,
and change no output. Stop at anything else. Then run \`${tool} apply\` in every state.`
  if (removed === '') return [change, data, check]
  return [
    change,
    data,
    tool === 'tofu'
      ? `${check}\nThe blocks (OpenTofu before 1.10: omit \`lifecycle\`. Its blocks never destroy):`
      : `${check}\nThe blocks:`,
    removed,
    `Or, instead of the blocks, run these commands before you change the configuration, and in every other state those
that its export printed. Do not apply in between:`,
    instead,
  ]
}

const blocksStep = ({ tool }: Leaving): LeavingStep => [
  `Delete the blocks, after the apply in every state: without them, an apply destroys the objects of a state that still has
them. In every state of the configuration, run \`${tool} plan\`: it must say \`No changes\`.`,
]

function secretsText(secrets: readonly WantedSecret[]): string {
  if (secrets.length === 0) return ''
  return [
    `\nAn apply that sends ${secrets.length === 1 ? 'this secret' : 'one of these secrets'} needs its value`,
    '(a block to paste: setpoint secrets --format github, gitlab or dotenv):',
    ...secrets.map(secretLine),
  ].join('\n')
}
