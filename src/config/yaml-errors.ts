import type { ErrorCode } from 'yaml'
import type { DiagnosticCode } from '../model/diagnostic.ts'

/** Our words for the parser's errors. Its own may quote the source, which may hold a secret. */
export const YAML_ERRORS = {
  ALIAS_PROPS: ['yaml-feature', 'an alias is not supported'],
  BAD_ALIAS: ['yaml-feature', 'an anchor or alias is not supported'],
  BAD_COLLECTION_TYPE: ['yaml-feature', 'a tag is not supported'],
  BAD_DIRECTIVE: ['yaml-feature', 'a directive is not supported'],
  BAD_DQ_ESCAPE: ['yaml-syntax', 'this escape is not known in double quotes; write a backslash as `\\\\`'],
  BAD_INDENT: ['yaml-syntax', 'the indentation does not fit the lines around it'],
  BAD_PROP_ORDER: ['yaml-feature', 'anchors and tags are not supported'],
  BAD_SCALAR_START: ['yaml-syntax', 'plain text cannot begin with this character; put it in quotes'],
  BLOCK_AS_IMPLICIT_KEY: [
    'yaml-syntax',
    'a map cannot begin inside a line that already has a key; quote the text if it holds `: `',
  ],
  BLOCK_IN_FLOW: ['yaml-syntax', 'inside `[ ]` and `{ }` everything is written with brackets and commas'],
  DUPLICATE_KEY: ['duplicate-key', 'the key is there twice'],
  IMPOSSIBLE: ['yaml-syntax', 'this is not YAML'],
  KEY_OVER_1024_CHARS: ['yaml-syntax', 'a key on one line with its value has at most 1024 characters'],
  MISSING_CHAR: [
    'yaml-syntax',
    'something is missing here: a closing quote or bracket, a comma, or `: ` after a key',
  ],
  MULTILINE_IMPLICIT_KEY: ['yaml-syntax', 'a key must stand on one line; is `: ` missing after it?'],
  MULTIPLE_ANCHORS: ['yaml-feature', 'an anchor is not supported'],
  MULTIPLE_DOCS: ['yaml-feature', 'a file holds one document; this begins a second one'],
  MULTIPLE_TAGS: ['yaml-feature', 'a tag is not supported'],
  NON_STRING_KEY: ['yaml-syntax', 'a key must be text'],
  RESOURCE_EXHAUSTION: ['file-limit', 'this is nested too deeply'],
  TAB_AS_INDENT: ['yaml-syntax', 'a tab cannot indent a line; use spaces'],
  TAG_RESOLVE_FAILED: ['yaml-feature', 'a tag is not supported'],
  UNEXPECTED_TOKEN: [
    'yaml-syntax',
    'this was not expected here; quote the text if it holds special characters',
  ],
} as const satisfies Record<ErrorCode, readonly [DiagnosticCode, string]>
