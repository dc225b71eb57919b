import { createHash } from 'node:crypto'
import { resolvedYaml, type YamlValue, yamlText } from '../config/write.ts'
import { NO_DETAILS, NO_FIELDS } from '../model/fields.ts'
import type { DesiredSet } from '../model/variable-set.ts'
import { NOWHERE } from './desired-set.ts'
import { GITHUB, GITLAB } from './pipelines.gen.ts'

/** A file to write. The path is relative to the requested directory. */
export interface NewFile {
  readonly path: string
  readonly text: string
}

/** The directory beside `setpoint.yaml` with copies of the schemas, for editors. Git does not ignore it. */
export const SCHEMA_DIRECTORY = '.setpoint-schemas'

/** The line that tells an editor the schema of a file. `up` leads from the file to the directory of the copies. */
const schemaLine = (schema: 'setpoint' | 'sets', up: string): string =>
  `# yaml-language-server: $schema=${up}${SCHEMA_DIRECTORY}/${schema}.schema.json\n`

/** All sets as one document. Without `up`, for an unknown place, it names no schema. */
export const exportText = (sets: readonly DesiredSet[], up?: string): string =>
  `${up === undefined ? '' : schemaLine('sets', up)}${resolvedYaml({ sets, removed: [] })}`

/** One file a set. */
export function exportFiles(sets: readonly DesiredSet[], up?: string): NewFile[] {
  const names = fileNames(sets)
  return sets.map(set => ({ path: names.get(set) ?? '', text: exportText([set], up) }))
}

/**
 * A file name for each set: only lower-case letters, digits, `.`, `_` and `-`; never hidden, never reserved by Windows, and
 * different from all others regardless of case. A name that would equal another one gets a part of its hash; a set whose name is
 * the file name keeps it.
 */
export function fileNames(sets: readonly DesiredSet[]): ReadonlyMap<DesiredSet, string> {
  const taken = new Set<string>()
  const slugs = sets.map(set => ({ set, plain: slug(set.name) }))
  return new Map(
    slugs
      .toSorted((a, b) => Number(b.set.name === b.plain) - Number(a.set.name === a.plain))
      .map(({ set, plain }) => {
        let name = plain
        for (let length = 8; name === '' || taken.has(name); length += 8)
          name = `${plain || 'set'}-${hash(`${set.name}\0${set.id ?? ''}`).slice(0, length)}`
        taken.add(name)
        return [set, `${name}.yaml`]
      }),
  )
}

const MOST_CHARACTERS = 80

function slug(name: string): string {
  const plain = name
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .slice(0, MOST_CHARACTERS)
    .replace(/^[-.]+|[-.]+$/g, '')
  return RESERVED.test(plain) ? `set-${plain}` : plain
}

/** Device names of Windows, with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

export interface FirstConfiguration {
  readonly organization: string
  readonly owner: string
  /** Patterns of the names that the repository may declare; empty: any. */
  readonly owns: readonly string[]
}

export const configurationFile = ({ organization, owner, owns }: FirstConfiguration): NewFile => ({
  path: 'setpoint.yaml',
  text:
    schemaLine('setpoint', '') +
    yamlText(
      new Map<string, YamlValue>([
        ['organization', organization],
        ['owner', owner],
        ...(owns.length === 0 ? [] : [['owns', owns] as const]),
      ]),
    ),
})

/** What Git ignores: the state of the embedded sandbox, and installed packages. */
export const ignoreFile: NewFile = { path: '.gitignore', text: '.setpoint/\nnode_modules/\n' }

/** An example set, with a name that the patterns of the repository allow. */
export const exampleSet = ([pattern]: FirstConfiguration['owns']): DesiredSet => ({
  name: pattern === undefined ? 'first-set' : pattern.replaceAll('*', 'first').replaceAll('?', 'x'),
  ...NO_DETAILS,
  description: 'A first set. Change it, and plan again.',
  variables: [{ key: 'env/GREETING', value: { text: 'hello' }, ...NO_FIELDS, source: NOWHERE }],
  workspaces: [],
  previousNames: [],
  source: NOWHERE,
})

export const firstSetFile = (owns: FirstConfiguration['owns']): NewFile => ({
  path: 'sets/first-set.yaml',
  text: exportText([exampleSet(owns)], '../'),
})

/** What `init` writes into a pipeline. */
interface PipelineOptions {
  /** Of the service, for all jobs. Undefined: the public service, or what the jobs' environment says. */
  readonly address?: string
  /** Pull requests are planned from a snapshot, without a token of the service. */
  readonly snapshot?: boolean
  /** A merge writes only its own change. */
  readonly alone?: boolean
  /** The repository has groups: the nightly job opens a request that updates them. */
  readonly groups?: boolean
}

/**
 * The pipeline of a forge, as `init` writes it; none for `none`. In its template, lines between `#: if FLAG`, `#: else` and `#: end` are
 * for pipelines with the flag, or without it.
 */
export function pipelineOf(
  forge: string,
  { address, snapshot = false, alone = false, groups = false }: PipelineOptions,
): NewFile | undefined {
  const found = PIPELINES[forge]
  if (found === undefined) return undefined
  const flags: Readonly<Record<string, boolean>> = { address: address !== undefined, snapshot, alone, groups }
  let isKept = true
  const lines = found.text.split('\n').filter(line => {
    const [, word, flag = ''] = /^#: (if|else|end) ?(\w*)$/.exec(line) ?? []
    if (word === undefined) return isKept
    isKept = word === 'if' ? flags[flag] === true : word === 'else' ? !isKept : true
    return false
  })
  return {
    path: found.path,
    text: lines.join('\n').replace('<address>', () => JSON.stringify(address)),
  }
}

const PIPELINES: Readonly<Record<string, NewFile>> = {
  github: { path: '.github/workflows/setpoint.yml', text: GITHUB },
  gitlab: { path: '.gitlab-ci.yml', text: GITLAB },
}
