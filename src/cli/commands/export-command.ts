import type { SetEdit } from '../../export/edit.ts'
import { wantedSecrets } from '../../model/variable-set.ts'
import { canBeAccepted } from '../../plan/operation.ts'
import type { Step } from '../../plan/plan-data.ts'
import { quotedText, sealLines } from '../../report/neutralise.ts'
import { counted } from '../../report/phrase.ts'
import { misuse } from '../../run/commands/ending.ts'
import { exportRun, exportSets, updateFiles } from '../../run/commands/export.ts'
import { EXIT } from '../../run/exit-codes.ts'
import type { UpdatedFile } from '../../run/export-organization.ts'
import type { Options } from '../../run/options.ts'
import type { CommandRun } from '../command.ts'
import type { CommandContext } from '../io.ts'
import { referencesText, writeSets } from '../write-sets.ts'
import { exportState } from './export-state.ts'
import { writeTerraform } from './export-terraform.ts'

/** Writes the live sets as files: to stdout, or one file for each set in a directory. */
export const run: CommandRun = async (io, organization) => {
  const { options } = io
  const wrong = usageMistake(options, organization)
  if (wrong !== undefined) misuse(io, wrong)
  if (options.update.length > 0) return await update(io)
  if (options.terraformState !== undefined) return await exportState(io, options.terraformState, organization)
  if (options.format === 'terraform')
    // A second Terraform state must not take over what the files do not declare.
    return await writeTerraform(
      io,
      await exportRun(io, { organization, references: false, isDeclared: organization === undefined }),
    )
  const references = options.secrets === 'references'
  const sets = await exportSets(io, { organization, references })
  await writeSets(io, sets)
  const needed = referencesText(wantedSecrets(sets))
  if (options.out !== undefined) io.stdout.write(needed)
  else if (!options.quiet) io.stderr.write(needed)
  return EXIT.done
}

/** A combination of options without a meaning is more likely a mistake than a wish. */
function usageMistake(options: Options, organization: string | undefined): string | undefined {
  const { update, only, out, terraformState, secrets, format } = options
  if (out === '-') return '--out requires a directory, and without it the sets are printed.'
  const isElsewhere = [organization, out, secrets].some(given => given !== undefined) || only.length > 0
  if (update.length > 0 && (isElsewhere || terraformState !== undefined))
    return '--update changes existing files. It cannot be combined with an organization, --only, --out, --secrets or a state.'
  if (format === 'terraform' && (update.length > 0 || terraformState !== undefined || secrets !== undefined))
    return '--format terraform cannot be combined with --update, --secrets or a state.'
  return undefined
}

/** Updates files, and says which differences are left. */
async function update(io: CommandContext): Promise<number> {
  const plan = await updateFiles(io, io.options.update, files =>
    io.stdout.write(sealLines(files.length === 0 ? 'No file differs.\n' : files.map(fileText).join(''))),
  )
  if (plan === undefined) return EXIT.error
  const { steps } = plan
  io.stdout.write(steps.length === 0 ? 'A plan of these sets has no changes.\n' : leftText(steps))
  return steps.length === 0 ? EXIT.done : EXIT.changes
}

function fileText({ path, sets }: UpdatedFile): string {
  const lines = sets.map(
    ({ name, edits }) => `  ${quotedText(name)}: ${edits.flatMap(editTexts).join(', ')}\n`,
  )
  return `${quotedText(path)}\n${lines.join('')}`
}

function editTexts(edit: SetEdit): string[] {
  switch (edit.kind) {
    case 'detail':
      return [typeof edit.value === 'string' ? `~ ${edit.name}` : `~ ${edit.name} ${edit.value}`]
    case 'owner': {
      const { project } = edit
      return [
        project === undefined
          ? '- project'
          : `~ project ${quotedText('id' in project ? project.id : project.name)}`,
      ]
    }
    case 'variable':
      return [`${edit.isNew ? '+' : '~'} ${quotedText(edit.variable.key)}`]
    case 'removal':
      return [`- ${quotedText(edit.key)}`]
    case 'targets':
      return [
        ...(edit.gone.size > 0 ? [`- ${counted(edit.gone.size, edit.name.slice(0, -1))}`] : []),
        ...edit.added.map(target => `+ ${quotedText('id' in target ? target.id : target.name)}`),
      ]
    case 'entry':
      return [`- ${quotedText(edit.key)}`]
  }
}

/** The remaining differences, and how to end them. */
function leftText(steps: readonly Step[]): string {
  const lines = steps.map(step => `  ${quotedText(step.operation.subject.name)}: ${reasonOf(step)}\n`)
  return sealLines(`A plan of these sets still has ${counted(steps.length, 'change')}:\n${lines.join('')}`)
}

function reasonOf({ operation, id }: Step): string {
  if (operation.type === 'create-set')
    return 'not in the service. If it was deleted for good, remove it from the file. Otherwise setpoint apply creates it.'
  if (operation.type === 'update-set' && !canBeAccepted(operation))
    return `${quotedText(operation.before.name)} in the service, where somebody renamed it. To accept that, write this name in the file; setpoint apply renames it back.`
  const isSecret = operation.type === 'update-variable' && 'secret' in operation.after.value
  if (!isSecret || canBeAccepted(operation)) return `${quotedText(id)}.`
  const keep =
    operation.rewrite === undefined
      ? ''
      : ' If the value in the service is right: put it into its source, and raise its version.'
  return `${quotedText(operation.after.key)} is a secret, which the API never returns. Pass its value to the run, then run setpoint apply to write it.${keep}`
}
