import type { EffectsView } from './effects.ts'
import { blockOf } from './markdown-blocks.ts'
import { phraseMarkdown } from './markdown-phrase.ts'
import { counted, figure } from './phrase.ts'

/** Who sees what otherwise, folded: one entry for all workspaces that see the same. */
export function effectsBlock(effects: EffectsView | undefined, budget: number): string {
  if (effects === undefined) return ''
  const { groups, notes } = effects
  const open = `<details><summary>Effect on workspaces (${groups.length === 0 ? 'nobody sees a change' : counted(groups.length, 'group')})</summary>\n\n`
  const close = '\n\n</details>'
  const pieces = groups.map(({ who, effects: lines }, rank) => ({
    text: [`- ${phraseMarkdown(who)}`, ...lines.map(line => `  - ${phraseMarkdown(line)}`)].join('\n'),
    rank,
  }))
  const said = notes.map(note => `- ${phraseMarkdown(note)}`)
  const { kept, left } = blockOf(pieces, budget - open.length - close.length - said.join('\n').length)
  const more = left === 0 ? [] : [`- and ${figure(left)} more`]
  return `${open}${[...kept, ...more, ...said].join('\n')}${close}`
}
