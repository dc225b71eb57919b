import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')

/** Texts that people read to understand the code: code, tests and documents, but not the data of tests. */
const READ = ['src', 'test', 'docs', 'scripts', 'bench', 'CONTRIBUTING.md', 'README.md', 'CHANGELOG.md']
const IS_TEXT = /\.(?:ts|mjs|md)$/

/** `docs/service.md 4.2`, several as `docs/service.md 2.3, 4.9`. */
const CITED = /docs\/(service|fault-model)\.md((?:,? (?:and )?(?:[FI]-\d+|\d+(?:\.\d+)*)(?![\w%-]))+)/g
/** A file of this repository, by its path. */
const PATH = /(?<![\w/.@-])(?:src|docs|scripts|bench|schemas|test)\/[\w./-]*\w\.(?:ts|mjs|md|json)\b/g
/** A file below `src`, by the path that imports have. */
const BELOW_SRC =
  /`((?:model|wire|config|api|plan|apply|report|export|forge|sandbox|run|secrets|cli)\/[\w-]+\.ts)`/g
/** Numbered things outside of the documents of this repository, and a number without its document. */
const OUTSIDE =
  /\b(?:service-facts|service-today|DESIGN|code-style)\b(?!["'])|\b[Ii]nterface \(?\d|(?<!docs\/)fault-model (?:section |\d|[A-Z]-)|\(T-\d\d|(?<!\.md(?: [FI]-\d\d,?)*) \(?[FI]-\d\d\b/g

export interface Citation {
  readonly file: string
  readonly line: number
  readonly text: string
}

/** Every citation of a section or file that does not exist, or that is outside of the repository. */
export const brokenCitations = (): Citation[] =>
  READ.flatMap(textsBelow).flatMap(file => brokenIn(file, readFileSync(join(ROOT, file), 'utf8')))

/** The broken citations of one text. In code only comments are read, in a document everything. */
export function brokenIn(file: string, text: string): Citation[] {
  return text.split('\n').flatMap((line, index) => {
    const prose = file.endsWith('.md') || /^\s*(?:\/?\*|\/\/)/.test(line) ? line : ''
    const wrong = [
      ...[...line.matchAll(CITED)].filter(([, page = '', numbers = '']) =>
        numbers.split(/,| and /).some(number => !KNOWN[page]?.has(number.trim())),
      ),
      ...[...prose.matchAll(PATH)].filter(([path]) => !existsSync(join(ROOT, path))),
      ...[...prose.matchAll(BELOW_SRC)].filter(([, path = '']) => !existsSync(join(ROOT, 'src', path))),
      ...(hasItems(file) ? [] : prose.matchAll(OUTSIDE)),
    ]
    return wrong.map(([found]) => ({ file, line: index + 1, text: found.trim() }))
  })
}

/** The page with the numbers, and the decision about it. */
const hasItems = (file: string): boolean => /^docs\/.*fault-model\.md$/.test(file)

function textsBelow(path: string): string[] {
  if (IS_TEXT.test(path)) return [path]
  return readdirSync(join(ROOT, path), { recursive: true, encoding: 'utf8' })
    .filter(name => IS_TEXT.test(name) && !/\.gen\.ts$|(?:^|\/)(?:fixtures|golden)\//.test(name))
    .map(name => `${path}/${name}`)
}

function numbersOf(page: string, pattern: RegExp): Set<string> {
  const text = readFileSync(join(ROOT, page), 'utf8')
  return new Set([...text.matchAll(pattern)].map(([, number = '']) => number))
}

const KNOWN: Readonly<Record<string, Set<string>>> = {
  service: numbersOf('docs/service.md', /^(?:#+ |\| )(\d+(?:\.\d+)*)\b/gm),
  'fault-model': numbersOf('docs/fault-model.md', /^\| ([FI]-\d+|8\.\d) /gm),
}
