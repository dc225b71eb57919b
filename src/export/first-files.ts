import { type YamlValue, yamlText } from '../config/yaml-text.ts'
import { NO_FIELDS } from '../model/fields.ts'
import type { DesiredSet } from '../model/variable-set.ts'
import { NOWHERE } from './desired-set.ts'
import { exportText, type NewFile, schemaLine } from './document.ts'
import { GITHUB, GITLAB } from './pipelines.gen.ts'

export interface FirstConfiguration {
  readonly organization: string
  readonly owner: string
  /** Patterns of the names that the repository may declare; empty: any. */
  readonly owns: readonly string[]
}

/** The first configuration of a repository. */
export const configurationFile = (
  { organization, owner, owns }: FirstConfiguration,
  up: string,
): NewFile => ({
  path: 'setpoint.yaml',
  text:
    schemaLine('setpoint', up) +
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
  description: 'A first set. Change it, and run setpoint plan.',
  global: false,
  priority: false,
  variables: [{ key: 'env/GREETING', value: { text: 'hello' }, ...NO_FIELDS, source: NOWHERE }],
  workspaces: [],
  previousNames: [],
  source: NOWHERE,
})

export const firstSetFile = (owns: FirstConfiguration['owns'], up: string): NewFile => ({
  path: 'sets/first-set.yaml',
  text: exportText([exampleSet(owns)], up),
})

/** The pipeline of a forge, as `init` writes it; none for `none`. */
export const PIPELINES: Readonly<Record<string, NewFile>> = {
  github: { path: '.github/workflows/setpoint.yml', text: GITHUB },
  gitlab: { path: '.gitlab-ci.yml', text: GITLAB },
}
