import { cpus, platform, totalmem } from 'node:os'

/** The machine and the day that figures belong to. */
export function machineText(): string {
  const cores = cpus()
  const memory = Math.round(totalmem() / 1024 ** 3)
  const today = new Date().toISOString().slice(0, 10)
  return `${cores.length} cores (${cores[0]?.model.trim() ?? 'unknown'}), ${memory} GiB, ${platform()}, Node ${process.versions.node}, ${today}`
}
