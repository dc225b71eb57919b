/**
 * Setpoint as a library: the same steps as the command line, with every effect handed in. Files to desired state, a
 * transport to a client, both to a plan, a plan to the service, and anything to a report.
 */
export { readConnection } from './api/connection.ts'
export {
  AmbiguousAnswerError,
  ApiError,
  IncompleteListingError,
  MalformedAnswerError,
} from './api/errors.ts'
export { type HttpOptions, type HttpTransport, httpTransport } from './api/http.ts'
export { type Line, type LineOptions, openLine } from './api/line.ts'
export { observe } from './api/observe.ts'
export { createReader, type Reader } from './api/reader.ts'
export { machineTiming, type Timing } from './api/timing.ts'
export { Token } from './api/token.ts'
export { withToken } from './api/with-token.ts'
export { createWriter, type Writer } from './api/writer.ts'
export type { ApplyResult, Closing, Outcome, StepResult } from './apply/outcome.ts'
export { type SecretSource, secretsOf } from './apply/secrets.ts'
export { type LoadOptions, loadDesired } from './config/load.ts'
export { exportFiles, exportText, type NewFile } from './export/document.ts'
export type { Checked, Diagnostic, DiagnosticCode, SourceRange } from './model/diagnostic.ts'
export type * from './model/ids.ts'
export type { Inventory, InventoryEntry } from './model/inventory.ts'
export type * from './model/variable-set.ts'
export { createPlan, type PlanOptions } from './plan/create.ts'
export type { Explanation, Moment } from './plan/effective/explanation.ts'
export type { Operation } from './plan/operation.ts'
export type { Plan, PlanFacts, Step } from './plan/plan.ts'
export { savedPlan } from './plan/saved.ts'
export { type Format, type Render, type Report, renders } from './report/index.ts'
export { applyPrepared } from './run/apply.ts'
export type { ApplyRun } from './run/apply-run.ts'
export { explainWorkspace } from './run/explain.ts'
export { type ExportRun, type ExportWishes, exportFrom } from './run/export.ts'
export { type Prepared, preparePlan, type ReadOnly, type Wishes } from './run/prepare.ts'
export type { Service } from './run/service.ts'
export type { ApiRequest, ApiResponse, ReadTransport, Transport } from './wire/transport.ts'
export { TransportError } from './wire/transport.ts'
