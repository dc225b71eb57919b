import { fileURLToPath } from 'node:url'

const root = new URL('../', import.meta.url)

/** What the tables of commands and options are made of. */
export const TABLES = [
  'cli/command.ts',
  'cli/definitions.ts',
  'model/json.ts',
  'report/formats.ts',
  'run/options.ts',
  'run/schema-names.gen.ts',
].map(path => new URL(`src/${path}`, root))

/** The tables as values. What a command loads when it is called is not loaded. */
export async function readTables() {
  const { rolldown } = await import('rolldown')
  const files = TABLES.map(url => fileURLToPath(url))
  const entry = fileURLToPath(new URL('src/tables.ts', root))
  const bundle = await rolldown({
    input: entry,
    platform: 'node',
    external: [/\/commands\//, /\/run\/(?:plan|apply)\.ts$/],
    treeshake: { moduleSideEffects: false },
    plugins: [
      {
        name: 'both',
        resolveId: id => (id === entry ? id : undefined),
        load: id =>
          id === entry ? `export * from './cli/definitions.ts'\nexport * from './run/options.ts'` : undefined,
      },
    ],
  })
  const { output } = await bundle.generate({ format: 'esm' })
  await bundle.close()
  const others = output[0].moduleIds.filter(id => id !== entry && !files.includes(id))
  if (others.length > 0) throw new Error(`TABLES lacks ${others.join(', ')}`)
  return await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`)
}

/** The options of each function of the library that are options of its command: types, and the names for its checks. */
export function inputsCode({ COMMANDS, GROUPS, OPTIONS, ruleOf }) {
  const functions = COMMANDS.filter(({ asFunction }) => asFunction !== undefined)
  const made = []
  const add = (name, about, options) => {
    const inherited = made.filter(one => one.options.every(option => options.some(isNamed(option))))
    // A larger group contains the smaller one.
    const bases = inherited.filter(one => !inherited.some(other => other.bases.includes(one)))
    const own = options.filter(option => !inherited.some(one => one.options.some(isNamed(option))))
    const above = bases.length > 0 ? ` extends ${bases.map(base => base.name).join(', ')}` : ''
    const text = `/** ${about} */\nexport interface ${name}${above} {\n${own.map(member(ruleOf)).join('')}}\n`
    return { name, options, bases, text }
  }
  for (const [name, names] of Object.entries(GROUPS)) {
    const options = names.map(option => ({ ...OPTIONS[option], name: option })).filter(isInLibrary)
    made.push(add(name, 'Options that several functions have.', options))
  }
  const inputs = functions.map(({ name, options }) =>
    add(`${capital(name)}Options`, `Options of \`setpoint ${name}\`.`, options.filter(isInLibrary)),
  )
  const names = functions.map(({ asFunction, options }) => [
    asFunction,
    options.filter(isInLibrary).map(({ name }) => name),
  ])
  return [
    '// Generated from src/run/options.ts and src/cli/definitions.ts by scripts/inputs.mjs. Do not edit.',
    "import type { Limits } from '../config/loader-limits.ts'",
    "import type { FileKind } from '../report/formats.ts'",
    '',
    ...[...made, ...inputs].map(({ text }) => text),
    '/** Each has the name of its command, but for `exportSets`, because `export` is a word of the language. */',
    `export type FunctionName = ${names.map(([name]) => `'${name}'`).join(' | ')}`,
    '',
    '/** The options of each function that are options of its command. */',
    'export const OPTIONS_OF: Readonly<Record<FunctionName, readonly string[]>> = {',
    ...names.map(([name, options]) => `  ${name}: ${JSON.stringify(options)},`),
    '}',
    '',
  ].join('\n')
}

const member =
  ruleOf =>
  ({ name, flag, description, inLibrary, ...option }) =>
    `  /** As \`${flag.split(' ')[0]}\`: ${(inLibrary ?? description).replace(/; repeatable$/, '')}. */\n  readonly ${name}?: ${ruleOf(option).type}\n`

/** Others are for people at a terminal, or by hand in `src/library/types.ts`. */
const isInLibrary = ({ isOnlyTyped }) => isOnlyTyped !== true

const isNamed =
  ({ name }) =>
  other =>
    other.name === name

const capital = name => `${name[0].toUpperCase()}${name.slice(1)}`
