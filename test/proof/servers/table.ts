import type { Played, Row } from './play.ts'
import { TRAITS, type Trait } from './traits.ts'

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

/** Both tables as Markdown, as `npm run servers` prints them, and what is left to do by hand. */
export function tableOf({ traits, rows, broke, left }: Played): string {
  const names = Object.keys(TRAITS) as Trait[]
  const count = (result: Row['result']) => rows.filter(row => row.result === result).length
  const told = (name: Trait) => {
    const trait = traits[name]
    if (trait === undefined) return 'not asked'
    return trait.has ? 'yes' : cell(`no: ${trait.shown}`)
  }
  const unplayed = count('not played')
  return [
    '| the interface | this server |',
    '|-|-|',
    ...names.map(name => `| ${TRAITS[name]} | ${told(name)} |`),
    '',
    '| scenario | result |',
    '|-|-|',
    ...rows.map(
      ({ scenario, result, how }) =>
        `| ${scenario} | ${cell([result, how].filter(one => one !== '').join(': '))} |`,
    ),
    '',
    `${count('works')} work, ${count('differs')} differ, ${count('lacks')} need what the server lacks${unplayed === 0 ? '' : `, ${unplayed} were not played`}.`,
    ...(broke === undefined ? [] : [`Broken off: ${cell(broke)}`]),
    ...(left.length === 0 ? [] : [`Left on the server, to be deleted by hand: ${left.join(', ')}.`]),
    '',
  ].join('\n')
}
