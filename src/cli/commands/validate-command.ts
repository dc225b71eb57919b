import { resolvedYaml } from '../../config/write.ts'
import { toJson } from '../../model/json.ts'
import { validationText } from '../../report/diagnostics.ts'
import { misuse, required } from '../../run/commands/ending.ts'
import { validate } from '../../run/commands/validate.ts'
import { configurationOf, fixSchemas } from '../../run/editor-schemas.ts'
import { EXIT } from '../../run/exit-codes.ts'
import { sayDiagnostics } from '../../run/run.ts'
import type { CommandRun } from '../command.ts'
import { annotate, type CommandContext } from '../io.ts'

/**
 * Reports every mistake at once, on stderr. Prints one line on stdout, or the sets with their bases merged in. As JSON, both
 * are one document on stdout, even if the files are invalid.
 */
export const run: CommandRun = async io => {
  const isData = io.options.format === 'json'
  if (isData && io.options.resolved)
    misuse(io, '--resolved cannot be combined with --format json.', 'Use one of the two.')
  if (io.options.fixSchema) await fix(io)
  const { validation, desired } = await validate(io)
  if (isData) {
    annotate(io, validation.diagnostics)
    io.stdout.write(toJson(validation))
  } else {
    sayDiagnostics(io, validation.diagnostics)
    if (desired !== undefined && io.options.resolved) io.stdout.write(resolvedYaml(desired))
    else if (desired !== undefined && !io.options.quiet) io.stdout.write(validationText(validation))
  }
  return { code: desired === undefined ? EXIT.error : EXIT.done, validation }
}

/** On stderr, because stdout may be a document. */
async function fix(io: CommandContext): Promise<void> {
  const fixed = await fixSchemas(io.cwd, configurationOf(io.cwd, io.options.config))
  const { written } = required(io, { value: fixed, diagnostics: fixed.diagnostics })
  if (!io.options.quiet) io.stderr.write(written.map(path => `Wrote ${path}\n`).join(''))
}
