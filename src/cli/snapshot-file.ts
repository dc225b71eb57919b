import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Checked, Diagnostic } from '../model/diagnostic.ts'
import { parseJson } from '../model/parse-json.ts'
import type { Snapshot } from '../plan/snapshot.ts'
import type { Io } from './io.ts'

/** Larger files are not read. */
const LARGEST = 256 * 1024 * 1024

/** The snapshot in a file, and how old it is; or why it is not taken. */
export async function readSnapshot(io: Io, file: string, organization: string): Promise<Checked<Snapshot>> {
  const path = resolve(io.cwd, file)
  const size = await stat(path).then(
    found => (found.isFile() ? found.size : undefined),
    () => undefined,
  )
  if (size === undefined) return refused(file, 'There is no such file.')
  if (size > LARGEST) return refused(file, 'It is larger than any snapshot.')
  const value = parseJson(await readFile(path, 'utf8'))
  if (value === undefined)
    return refused(file, 'It is no JSON, or more than any snapshot holds: it was cut, or is something else.')
  const { isSnapshot } = await import('../config/snapshot-valid.gen.ts')
  const isWhole = (one: unknown): one is Snapshot => isSnapshot(one)
  if (!isWhole(value)) return refused(file, 'It has not the form of a snapshot.')
  if (value.organization !== organization)
    return refused(
      file,
      `It is of ${JSON.stringify(value.organization)}, and the files are for ${JSON.stringify(organization)}.`,
    )
  return { value, diagnostics: [age(io, value)] }
}

const refused = (file: string, reason: string): Checked<Snapshot> => ({
  value: undefined,
  diagnostics: [
    {
      severity: 'error',
      code: 'bad-snapshot',
      message: `${JSON.stringify(file)} is not taken. ${reason}`,
      hint: 'Make a new one: setpoint snapshot --out FILE',
    },
  ],
})

const age = (io: Io, { takenAt }: Snapshot): Diagnostic => ({
  severity: 'warning',
  code: 'snapshot-age',
  message: `Planned from a snapshot of ${takenAt}, ${spoken(io.now().getTime() - Date.parse(takenAt))}. What happened since is not in this plan.`,
  hint: 'The apply reads the service anew, and refuses where something moved.',
})

/** `14 hours old`, in whole units of the largest that fits. */
function spoken(milliseconds: number): string {
  if (!(milliseconds >= 0)) return 'from the future by the clock of this machine'
  const units = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
  ] as const
  for (const [unit, length] of units) {
    const count = Math.floor(milliseconds / length)
    if (count > 0) return `${count} ${unit}${count === 1 ? '' : 's'} old`
  }
  return 'less than a minute old'
}
