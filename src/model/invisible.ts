/** Controls, formats, separators, lone surrogates, ignorables and blanks other than the space bar's: a reader does not see them. */
export const INVISIBLE_CHARACTERS = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800]|(?! )\p{Zs}/gu

/** The first sign of `##[name`, `##vso[name`, `##teamcity[name`: runners obey these wherever they stand in a line. */
export const RUNNER_COMMAND = /#(?=#[\w-]*\[)/g
