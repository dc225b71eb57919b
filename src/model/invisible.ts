/** Characters that a reader does not see: controls, formats, separators, lone surrogates, ignorables and odd blanks. */
export const INVISIBLE_CHARACTERS = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800]|(?! )\p{Zs}/gu

/** The first character of `##[name`, `##vso[name`, `##teamcity[name`: CI runners obey these anywhere in a line. */
export const RUNNER_COMMAND = /#(?=#[\w-]*\[)/g
