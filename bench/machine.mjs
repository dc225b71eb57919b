import { cpus, loadavg, platform, totalmem } from 'node:os'

/** One line with the machine. Its load is that of other programs, so call this at the start. */
export function machineText() {
  const cores = cpus()
  const memory = Math.round(totalmem() / 1024 ** 3)
  const today = new Date().toISOString().slice(0, 10)
  return `${cores.length} cores (${cores[0]?.model.trim() ?? 'unknown'}), ${memory} GiB, ${platform()}, Node ${process.versions.node}, ${today}, load ${loadavg()[0].toFixed(1)} at the start`
}
