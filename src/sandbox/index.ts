export { type Commit, type Fault, type FaultSchedule, withFaults, withLatency } from './faults.ts'
export { JournalError } from './journal.ts'
export type { Listening, ListenOptions } from './listen.ts'
export { LockedError } from './lock.ts'
export {
  AXES,
  type Axis,
  type AxisValue,
  DEFAULT_PROFILE,
  type Expectation,
  type Profile,
} from './profile.ts'
export { type RateLimitOptions, type WaitHint, withRateLimit } from './rate-limit.ts'
export type { Permission, ProjectPermission } from './records.ts'
export { createSandbox, type Sandbox, type SandboxOptions } from './sandbox.ts'
export {
  DEFAULT_SEED,
  type OrganizationSeed,
  type ProjectSeed,
  type SandboxSeed,
  SeedError,
  type SetSeed,
  type SnapshotOptions,
  type StackSeed,
  type TokenSeed,
  type VariableSeed,
  type WorkspaceSeed,
} from './seed.ts'
export { parseFaults, parseSeed } from './text-files.ts'
