import { code, GENERATED, prose, table } from './markdown.mjs'

/** `groups`: codes with their meanings, by their heading. */
export function diagnosticsPage(groups, guards) {
  return `${[
    GENERATED,
    '# Diagnostics',
    'A diagnostic has a severity, a code and a message, and usually a place and a hint. All diagnostics are reported at once, on stderr.\nMessages may change. Codes do not change, so you can match on them. An error exits 1 before anything is written, and\n`refused` exits 4. A warning does not stop a run.',
    ...Object.entries(groups).map(([title, codes]) => `## ${title}\n\n${codeTable(codes)}`),
    '## Guards',
    'A guard marks the plan and blocks its apply (exit 4) until exactly this plan is approved by its digest. The codes are in\n`blocks` of a saved plan and of `--format json`.',
    codeTable(guards),
  ].join('\n\n')}\n`
}

const codeTable = meanings =>
  table(
    ['code', 'meaning'],
    Object.entries(meanings).map(([one, meaning]) => [code(one), prose(meaning)]),
  ).trimEnd()
