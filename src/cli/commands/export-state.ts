import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { loadRepositoryContext } from '../../config/load.ts'
import { exportFromState, type StateExport, type StateExportRequest } from '../../export/from-state.ts'
import { readState } from '../../export/state-json.ts'
import { type Checked, type Diagnostic, hasErrors } from '../../model/diagnostic.ts'
import { EXIT } from '../exit.ts'
import { failureOf } from '../failure.ts'
import type { Io } from '../io.ts'
import { leavingText } from '../leaving-text.ts'
import { loadOptions } from '../load.ts'
import type { Options } from '../options.ts'
import { sayDiagnostics, sayFailure } from '../say.ts'
import { writeSets } from '../write-sets.ts'

/** Files from a Terraform state, without a connection. */
export async function exportState(
  io: Io,
  options: Options,
  source: string,
  organization: string | undefined,
): Promise<number> {
  const wishes = await wishesOf(io, options, organization)
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
      'With --out DIR the next steps are printed: the secrets to give, and how Terraform lets go.\n',
    )
  return EXIT.done
}

/** A configuration is taken into account where there is one, and not needed. */
async function wishesOf(
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
  try {
    if (source !== '-') return decoded(io, options, await readBounded(resolve(io.cwd, source)))
    const { all } = io.input()
    if (all !== undefined) return await all()
    sayDiagnostics(io, options, [NOTHING_PIPED])
  } catch (error) {
    const failure = failureOf(error)
    if (failure === undefined) throw error
    sayFailure(io, options, failure.message)
  }
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

/** PowerShell writes UTF-16 where it is asked to redirect. */
function decoded(io: Io, options: Options, { value, diagnostics }: Checked<Buffer>): string | undefined {
  sayDiagnostics(io, options, diagnostics)
  if (value === undefined) return undefined
  return value[0] === 0xff && value[1] === 0xfe ? value.toString('utf16le') : value.toString('utf8')
}

/** A state without any set is a mistake in the choice of the state, most likely. */
const noSets = ({ sets, diagnostics }: StateExport): Diagnostic[] =>
  sets.length > 0 || diagnostics.length > 0
    ? []
    : [
        {
          severity: 'error',
          code: 'state-incomplete',
          message: 'The state manages no variable set: it has no tfe_variable_set.',
          hint: 'Is it the state of the configuration that declares them?',
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
  message: 'Nothing is piped in.',
  hint: 'terraform state pull | setpoint export --terraform-state -',
}
