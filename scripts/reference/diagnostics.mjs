import { code, GENERATED, prose, table } from './markdown.mjs'
import { GUARDS, MEANINGS } from './meanings.mjs'

/** `groups`: codes by their heading. */
export function diagnosticsPage(groups, guards) {
  check(Object.values(groups).flat(), MEANINGS)
  check(guards, GUARDS)
  return `${[
    GENERATED,
    '# Diagnostics',
    'A diagnostic has a severity, a code and a message, and usually a place and a hint. All diagnostics are reported at once, on stderr.\nMessages may change. Codes do not change, so you can match on them. An error exits 1 before anything is written, and\n`refused` exits 4. A warning does not stop a run.',
    ...Object.entries(groups).map(([title, codes]) => `## ${title}\n\n${codeTable(codes, MEANINGS)}`),
    '## Guards',
    'A guard marks the plan and blocks its apply (exit 4) until exactly this plan is approved by its digest. The codes are in\n`blocks` of a saved plan and of `--format json`.',
    codeTable(guards, GUARDS),
  ].join('\n\n')}\n`
}

/** Every code has a line and every line a code. */
function check(codes, meanings) {
  const unknown = Object.keys(meanings).filter(known => !codes.includes(known))
  const without = codes.filter(one => meanings[one] === undefined)
  if (codes.length === 0 || unknown.length > 0 || without.length > 0)
    throw new Error(
      `codes without a meaning: ${without.join(', ')}; meanings without a code: ${unknown.join(', ')}`,
    )
}

const codeTable = (codes, meanings) =>
  table(
    ['code', 'meaning'],
    codes.map(one => [code(one), prose(meanings[one])]),
  ).trimEnd()
