import { loadRepositoryContext } from '../../config/load.ts'
import { mistake } from '../../model/diagnostic.ts'
import { INVENTORY_PREFIX } from '../../model/names.ts'
import { quotedText, sealLines } from '../../report/neutralise.ts'
import { counted } from '../../report/phrase.ts'
import { fail, required } from '../../run/commands/ending.ts'
import { loadOptions } from '../../run/commands/load-files.ts'
import { withConnection } from '../../run/commands/session.ts'
import { DECLINED } from '../../run/decide.ts'
import { codeOfSignal, EXIT } from '../../run/exit-codes.ts'
import { findRelease, type Release, releaseSets } from '../../run/release-sets.ts'
import { sayDiagnostics } from '../../run/run.ts'
import { agreed } from '../agreed.ts'
import type { CommandRun } from '../command.ts'
import type { CommandContext } from '../io.ts'

/** Stops managing without deleting anything: deletes the inventory of the owner, and nothing else. */
export const run: CommandRun = async io => {
  const { organization, owner } = required(io, loadRepositoryContext(loadOptions(io)))
  if (owner === undefined)
    fail(
      io,
      mistake(
        'needs-owner',
        'Without an `owner`, Setpoint keeps nothing in the service.',
        'There is nothing to release. To stop, switch off the pipelines that apply the files.',
      ),
    )
  return await withConnection(io, { organization, sets: [] }, async service => {
    const { value: found, diagnostics } = await findRelease(service, organization, owner)
    if (found === undefined) fail(io, ...diagnostics)
    if (found.inventories.length === 0) {
      io.stdout.write(sealLines(`No inventory of ${quotedText(owner)}: nothing to release.\n`))
      return EXIT.done
    }
    io.stdout.write(sealLines(planText(owner, found)))
    await confirm(io)
    const { stop, abandon, sleep } = io
    const problem = await releaseSets(service, organization, found, { stop, abandon, sleep })
    if (problem === undefined) {
      io.stdout.write(sealLines(doneText(owner, found)))
      return EXIT.done
    }
    const message = `The inventory may still be there: ${problem.message}.`
    sayDiagnostics(io, [
      mistake('service-failure', message, 'No set was changed. Run setpoint release again.'),
    ])
    return codeOfSignal(io) ?? EXIT.partial
  })
}

/** Ends the command without consent. */
async function confirm(io: CommandContext): Promise<void> {
  if (io.options.autoApprove) return
  const { ask } = io.input()
  if (ask === undefined)
    fail(io, mistake('refused', 'There is no terminal to ask for confirmation.', 'Add --auto-approve.'))
  if (!(await agreed(ask, 'Release these sets?'))) fail(io, DECLINED)
}

function planText(owner: string, { inventories, sets }: Release): string {
  // After two first applies at the same time.
  const twice = inventories.length > 1 ? ` (${inventories.length} sets of this name)` : ''
  return `The inventory of ${quotedText(owner)} lists ${counted(sets.length, 'set')}:
${sets.map(name => `  ${quotedText(name)}\n`).join('')}
To delete: ${quotedText(`${INVENTORY_PREFIX}${owner}`)}${twice}, and nothing else. The sets, their variables and their assignments stay as they are.
First, switch off every pipeline that applies these files: its next apply would write the inventory again.
`
}

const doneText = (owner: string, { sets }: Release): string =>
  `Released: the inventory of ${quotedText(owner)} is deleted. Verified by reading the service back. ${counted(sets.length, 'set')} ${
    sets.length === 1 ? 'stays' : 'stay'
  } in the service.
If you come back: an apply adds the sets that equal the files to a new inventory, and sends their secrets with a version again.
`
