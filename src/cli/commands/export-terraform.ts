import { resolve } from 'node:path'
import { terraformExport } from '../../export/to-terraform.ts'
import { quotedText, sealLines } from '../../report/neutralise.ts'
import { counted } from '../../report/phrase.ts'
import { endIfStopped, required } from '../../run/commands/ending.ts'
import type { OrganizationExport } from '../../run/commands/export.ts'
import { EXIT } from '../../run/exit-codes.ts'
import type { CommandContext } from '../io.ts'
import { writeFiles } from '../write-sets.ts'

const FILE = 'variable-sets.tf'

/** Writes the exported sets as a Terraform configuration: to stdout, or to a new file with the next steps on stdout. */
export async function writeTerraform(
  io: CommandContext,
  { observed, ids, names, organization, owner }: OrganizationExport,
): Promise<number> {
  const { out } = io.options
  const sets = observed.sets.flatMap(set => {
    const desired = ids.get(set.id)
    return desired === undefined ? [] : [{ observed: set, desired }]
  })
  const made = terraformExport({ organization, sets, all: observed.sets, names })
  const { text, imports, changes } = required(io, { value: made, diagnostics: made.diagnostics })
  endIfStopped(io)
  if (out === undefined) {
    io.stdout.write(text)
    return EXIT.done
  }
  await writeFiles(io, resolve(io.cwd, out), [{ path: FILE, text }], 'left')
  io.stdout.write(
    sealLines(
      `${quotedText(out)}: ${counted(sets.length, 'set')} in ${FILE}.\n${stepsText(imports, changes, owner)}`,
    ),
  )
  return EXIT.done
}

/** The way back to Terraform. Until the last step, Setpoint manages the sets. */
function stepsText(imports: number, changes: number, owner: string | undefined): string {
  const sensitive =
    changes === 0
      ? ''
      : `\n   To change: ${counted(changes, 'sensitive variable')}, because the provider takes a value that it cannot read for empty. It sends no
   value, and the values in the service stay.`
  const versions =
    changes === 0 || owner === undefined
      ? ''
      : '\n   The import gives each sensitive variable a new version, which Setpoint takes for a change by hand.'
  const last =
    owner === undefined
      ? 'Delete the files. Without an owner, Setpoint keeps nothing in the service.'
      : 'Run setpoint release, which deletes the inventory and nothing else. Then delete the files.'
  return `
Follow these steps in order. You can stop before each.

1. Switch off every pipeline that applies these files or checks for drift.${versions}

2. Beside the new file, configure the provider hashicorp/tfe for this host. Import blocks need Terraform 1.5 or OpenTofu 1.6.

3. Run \`terraform plan\`. It must say \`${imports} to import, 0 to add, ${changes} to change, 0 to destroy\`. Stop at anything else.${sensitive}
   Then run \`terraform apply\`.

4. Run \`terraform plan\` again. It must say \`No changes\`. Delete the import blocks.

5. ${last}
   Never delete them while a pipeline with \`prune: true\` applies them: it would delete the sets.
`
}
