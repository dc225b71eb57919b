import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/**
 * Prints how many ideas `src` has, for decision 29, and what a reader meets in each folder. Nothing here is a limit: a number
 * never decides where a file ends.
 */
const SRC = resolve(import.meta.dirname, '../src')
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.ts') && !name.endsWith('.gen.ts'))
  .toSorted()
  .map(name => ({ name, text: readFileSync(join(SRC, name), 'utf8') }))

const sum = (all, of) => all.reduce((total, one) => total + of(one), 0)
const found = pattern => one => [...one.text.matchAll(pattern)].length
const named = pattern => one =>
  sum([...one.text.matchAll(pattern)], ([, names]) => names.split(',').filter(name => name.trim()).length)
const distinct = (pattern, all = files) =>
  new Set(all.flatMap(one => [...one.text.matchAll(pattern)].map(([, text]) => text))).size

const linesOf = one => one.text.split('\n').length - 1
const exportsOf = one =>
  found(/^export (?!(?:type )?\{)/gm)(one) + named(/^export (?:type )?\{([^}]*)\}/gm)(one)
const typesOf = found(/^(?:export )?(?:interface|type|class) \w+/gm)
const importedBy = named(/^import (?:type )?\{([^}]*)\} from '\.[^']*'/gm)
/** Formatted code tells by its indentation how deep a block is nested; two spaces are one level. */
const depthOf = one =>
  Math.max(
    0,
    ...one.text
      .split('\n')
      .map(line => (/^( *)(?:\} )?(?:if|for|while|do|switch|try)\b/.exec(line)?.[1].length ?? 0) / 2),
  )

const text = name => readFileSync(join(SRC, name), 'utf8')
const rows = [
  ['lines', sum(files, linesOf)],
  ['files', files.length],
  ['exports', sum(files, exportsOf)],
  ['types', sum(files, typesOf)],
  ['imported names a file', (sum(files, importedBy) / files.length).toFixed(1)],
  ["fallbacks (`?? 0`, `?? ''`, `?? []`)", sum(files, found(/\?\? (?:0\b|''|\[\])/g))],
  ['late imports', sum(files, found(/\bimport\(/g))],
  ['diagnostic codes', distinct(/^ {4}'?([\w-]+)'?:/gm, [{ text: text('model/codes.ts') }])],
  ['flags', distinct(/'(--[\w-]+)/g, [{ text: text('run/options.ts') }])],
  ['environment variables', distinct(/\b((?:SETPOINT|TFE)_[A-Z_]+)\b/g)],
  [
    'numbers in capitals, such as limits',
    sum(files, found(/^(?:export )?const [A-Z][A-Z_]+(?:: number)? = [\d_.* ]+$/gm)),
  ],
  [
    'lines of schemas',
    sum(
      readdirSync(resolve(SRC, '../schemas'), { recursive: true }).filter(name => name.endsWith('.json')),
      name => linesOf({ text: readFileSync(resolve(SRC, '../schemas', name), 'utf8') }),
    ),
  ],
]
console.log(rows.map(([what, count]) => `| ${what} | ${count.toLocaleString('en-US')} |`).join('\n'))

console.log('\n| folder | files | lines | exports | longest file | deepest block |\n|-|-|-|-|-|-|')
for (const folder of [...new Set(files.map(({ name }) => dirname(name)))]) {
  const inside = files.filter(({ name }) => dirname(name) === folder)
  const most = of => inside.toSorted((a, b) => of(b) - of(a))[0]
  const [longest, deepest] = [most(linesOf), most(depthOf)]
  const shown = [inside.length, sum(inside, linesOf), sum(inside, exportsOf)]
  console.log(
    `| ${folder} | ${shown.join(' | ')} | ${linesOf(longest)} ${longest.name} | ${depthOf(deepest)} ${deepest.name} |`,
  )
}
