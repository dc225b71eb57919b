import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parse } from 'yaml'

/** Problems of a workflow according to GitHub's own parser, including its expressions. */
export const workflowProblems = (content: string): string[] => githubProblems('workflow', content)

/** Problems of an action, likewise. */
export const actionProblems = (content: string): string[] => githubProblems('action', content)

/** In its own process, because Node 20 needs help with the JSON imports of the parser. */
function githubProblems(kind: 'workflow' | 'action', content: string): string[] {
  const script = resolve(import.meta.dirname, 'github-schema.mjs')
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, kind], {
    input: content,
    encoding: 'utf8',
  })
  return status === 0 ? stdout.split('\n').filter(line => line !== '') : [stderr]
}

const GITLAB = createRequire(import.meta.url).resolve('gitlab-ci-local')
const SET_METHODS = resolve(import.meta.dirname, 'set-methods.mjs')

/**
 * A pipeline according to GitLab's own schema, with everything that it includes and extends; or the problems that the schema
 * finds.
 */
export function gitlabPipeline(
  files: string | { readonly templates: string },
  pipeline?: string,
): Readonly<Record<string, unknown>> | string {
  const cwd = mkdtempSync(join(tmpdir(), 'setpoint-gitlab-'))
  try {
    if (typeof files === 'string') cpSync(files, cwd, { recursive: true })
    else cpSync(files.templates, join(cwd, 'templates'), { recursive: true })
    if (pipeline !== undefined) writeFileSync(join(cwd, '.gitlab-ci.yml'), pipeline)
    const env = { PATH: process.env.PATH ?? '', HOME: cwd }
    // It includes only tracked files.
    for (const words of [
      ['init', '-q'],
      ['add', '.'],
    ])
      spawnSync('git', words, { cwd, env })
    const flags = ['--import', SET_METHODS, GITLAB, '--preview']
    const { status, stdout, stderr } = spawnSync(process.execPath, flags, { cwd, env, encoding: 'utf8' })
    return status === 0 && !stderr.includes('Invalid') ? parse(stdout) : `${stdout}${stderr}`
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
}

/** Problems of a CronJob according to the types of the Kubernetes API, including unknown members. */
export function manifestProblems(manifest: unknown): string {
  // Below the packages, so that their types resolve.
  const folder = resolve(import.meta.dirname, '../../node_modules/.cache/setpoint-manifest')
  mkdirSync(folder, { recursive: true })
  const lines = [
    "import type { ICronJob } from 'kubernetes-models/batch/v1/CronJob'",
    `export const manifest: ICronJob = ${JSON.stringify(manifest, undefined, 2)}`,
  ]
  writeFileSync(join(folder, 'manifest.ts'), `${lines.join('\n')}\n`)
  const compiler = resolve(import.meta.dirname, '../../node_modules/.bin/tsc')
  const flags = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
  ]
  return spawnSync(compiler, [...flags, '--ignoreConfig', 'manifest.ts'], { cwd: folder, encoding: 'utf8' })
    .stdout
}
