import type { SandboxSeed } from './seed.ts'

const WORKSPACES = {
  platform: ['network-prod', 'network-staging', 'cluster-prod', 'cluster-staging'],
  payments: ['payments-prod', 'payments-staging', 'ledger-prod', 'ledger-staging'],
  data: ['warehouse-prod', 'warehouse-staging', 'reports-prod', 'reports-staging'],
} as const

/** What a sandbox holds when nobody says otherwise: one organization with places to assign sets to, and no sets. */
export const DEFAULT_SEED: SandboxSeed = {
  organizations: [{ name: 'acme', email: 'platform@acme.invalid' }],
  projects: Object.keys(WORKSPACES).map(name => ({ name })),
  workspaces: Object.entries(WORKSPACES).flatMap(([project, names]) =>
    names.map(name => ({ name, project })),
  ),
}
