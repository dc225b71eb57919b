/** Packages inside the thread that evaluates rules, which scripts/generate.mjs writes as one text. */
export const EMBEDDED = ['@bufbuild/re2', '@marcbachmann/cel-js']
