import type { Probe } from './probes/probe.ts'

const closing = () => import('./probes/closing.ts')
const guards = () => import('./probes/guards.ts')
const lists = () => import('./probes/lists.ts')
const lost = () => import('./probes/lost-responses.ts')
const network = () => import('./probes/network.ts')
const rules = () => import('./probes/rules.ts')
const secrets = () => import('./probes/secrets.ts')

/** Small checks of behaviour that no schedule of faults can show. Loaded one by one, because a thread needs only one. */
export const PROBES = {
  'lost responses': async () => (await lost()).lostResponses,
  'refused writes': async () => (await lost()).refusedWrites,
  'moving lists': async () => (await lists()).movingLists,
  'sets of a project': async () => (await lists()).projectSets,
  'partial lists': async () => (await closing()).partialLists,
  'closing read': async () => (await closing()).closing,
  'failed steps': async () => (await closing()).steps,
  slots: async () => (await closing()).slots,
  sockets: async () => (await network()).sockets,
  storm: async () => (await network()).storm,
  ownership: async () => (await import('./probes/ownership.ts')).ownership,
  guards: async () => (await guards()).guards,
  consent: async () => (await guards()).consent,
  'plan file': async () => (await guards()).planFile,
  secrets: async () => (await secrets()).secrets,
  texts: async () => (await secrets()).texts,
  files: async () => (await import('./probes/files.ts')).files,
  'what workspaces see': async () => (await import('./probes/workspaces.ts')).whatWorkspacesSee,
  rules: async () => (await rules()).rules,
  affected: async () => (await rules()).affected,
  signals: async () => (await import('./probes/signals.ts')).signals,
} satisfies Readonly<Record<string, () => Promise<Probe>>>

export type ProbeName = keyof typeof PROBES
