import type { Played, Row } from './play.ts'
import { TRAITS, type Trait } from './traits.ts'

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

/** Both tables as Markdown, as `npm run servers` prints them. */
export function tableOf({ traits, rows }: Played): string {
  const names = Object.keys(TRAITS) as Trait[]
  const count = (result: Row['result']) => rows.filter(row => row.result === result).length
  return [
    '| the interface | this server |',
    '|-|-|',
    ...names.map(
      name => `| ${TRAITS[name]} | ${traits[name].has ? 'yes' : cell(`no: ${traits[name].shown}`)} |`,
    ),
    '',
    '| scenario | result |',
    '|-|-|',
    ...rows.map(
      ({ scenario, result, how }) =>
        `| ${scenario} | ${cell([result, how].filter(one => one !== '').join(': '))} |`,
    ),
    '',
    `${count('works')} work, ${count('differs')} differ, ${count('lacks')} need what the server lacks.`,
    '',
  ].join('\n')
}
