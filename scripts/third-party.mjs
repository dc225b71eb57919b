// The licences of everything that the bundle contains. They require to be with it.
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKAGES = fileURLToPath(new URL('../node_modules/', import.meta.url))

/** Packages inside the thread that evaluates rules, which scripts/generate.mjs writes as one text. */
export const EMBEDDED = ['@bufbuild/re2', '@marcbachmann/cel-js']

/** Code inside a package that comes from elsewhere, and whose licence the package does not have. */
const INSIDE = [
  {
    module: /\/undici\/lib\/llhttp\//,
    text: 'Contains llhttp, compiled to WebAssembly: Copyright Fedor Indutny, 2018, under the terms above (MIT).',
  },
]

/** The directory of the package that a module is in. `undefined` for our own. */
export function packageOf(module) {
  // Helpers that the bundler adds.
  if (module.startsWith('\0rolldown/')) return join(PACKAGES, 'rolldown')
  return /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module)?.[1]
}

/** The text of THIRD-PARTY.txt, for these modules and `EMBEDDED`. */
export async function thirdParty(modules) {
  const all = [...modules, ...EMBEDDED.map(name => join(PACKAGES, name, 'package.json'))]
  const packages = [...new Set(all.map(packageOf).filter(path => path !== undefined))]
  const texts = packages.map(async path => {
    const own = all.filter(module => packageOf(module) === path)
    const { name, version, license } = JSON.parse(await readFile(join(path, 'package.json'), 'utf8'))
    const files = await Promise.all([...foldersOf(path, own)].map(licenceFiles))
    if (files[0].length === 0) throw new Error(`${name} has no licence text`)
    const texts = await Promise.all(files.flat().map(file => readFile(file, 'utf8')))
    const more = INSIDE.filter(one => own.some(module => one.module.test(module))).map(({ text }) => text)
    return [`${name} ${version} (${license})`, ...texts.map(text => text.trim()), ...more].join('\n\n')
  })
  const line = `\n\n${'-'.repeat(80)}\n\n`
  return `Setpoint contains code of these packages.\n\n${(await Promise.all(texts)).sort().join(line)}\n`
}

/** What `thirdParty` lists, such as `{ name: 'yaml', version: '2.9.1' }`. */
export const listedIn = text =>
  [...text.matchAll(/^((?:@[\w.-]+\/)?[\w.-]+) (\d\S*) \([^()\n]+\)$/gm)].map(([, name, version]) => ({
    name,
    version,
  }))

/** The package first, then every directory between it and one of its modules. */
function foldersOf(path, modules) {
  const folders = new Set([path])
  for (const module of modules.filter(module => module.startsWith(`${path}/`)))
    for (let at = dirname(module); at !== path; at = dirname(at)) folders.add(at)
  return folders
}

async function licenceFiles(folder) {
  const names = await readdir(folder)
  return names
    .filter(name => /^(?:licen[cs]e|notice|third-party)[\w.-]*$/i.test(name))
    .sort()
    .map(name => join(folder, name))
}
