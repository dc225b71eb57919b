export type { Diagnostic, DiagnosticCode, SourceRange } from './model/diagnostic.ts'
