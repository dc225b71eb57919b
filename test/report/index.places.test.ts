import fc from 'fast-check'
import { parse } from 'parse5'
import { describe, expect, test } from 'vitest'
import { sourceBaseUrl } from '../../src/forge/pull-request.ts'
import { FORMATS, type Format } from '../../src/report/formats.ts'
import { renderers } from '../../src/report/index.ts'
import { aPlan, aResult, at, create, createSet, step, text } from './build.ts'
import { hostileTexts, planWith } from './hostile.ts'
import { markdownTree, nodesOf } from './parsers.ts'

const SHA = '0123456789abcdef0123456789abcdef01234567'
const HEAD = 'f'.repeat(40)
const SOURCES = `https://github.com/acme/sets/blob/${SHA}/`

describe('the address of files on the forge', () => {
  const GITHUB = {
    GITHUB_ACTIONS: 'true',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'acme/sets',
    GITHUB_SHA: SHA,
  }
  const GITLAB = {
    GITLAB_CI: 'true',
    CI_PROJECT_URL: 'https://gitlab.example.com:8443/acme/platform/sets',
    CI_COMMIT_SHA: SHA,
  }
  const event = (sha: unknown): string => JSON.stringify({ pull_request: { head: { sha } } })

  test('uses the commit of the job, or the head commit of a pull request', () => {
    expect(sourceBaseUrl(GITHUB, undefined)).toBe(SOURCES)
    expect(sourceBaseUrl(GITHUB, event(HEAD))).toBe(`https://github.com/acme/sets/blob/${HEAD}/`)
    expect(sourceBaseUrl(GITHUB, '{"push":1')).toBe(SOURCES)
    const lab = 'https://gitlab.example.com:8443/acme/platform/sets/-/blob/'
    expect(sourceBaseUrl(GITLAB, undefined)).toBe(`${lab}${SHA}/`)
    expect(sourceBaseUrl({ ...GITLAB, CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: '' }, undefined)).toBe(
      `${lab}${SHA}/`,
    )
    expect(sourceBaseUrl({ ...GITLAB, CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: HEAD }, undefined)).toBe(
      `${lab}${HEAD}/`,
    )
  })

  test.each([
    [{}],
    [{ ...GITHUB, GITHUB_SHA: 'main' }],
    [{ ...GITHUB, GITHUB_SHA: undefined }],
    [{ ...GITHUB, GITHUB_SERVER_URL: 'javascript:alert(1)//x' }],
    [{ ...GITHUB, GITHUB_SERVER_URL: 'https://user:word@github.com' }],
    [{ ...GITHUB, GITHUB_SERVER_URL: undefined }],
    [{ ...GITHUB, GITHUB_REPOSITORY: '../..' }],
    [{ ...GITHUB, GITHUB_REPOSITORY: 'acme/sets)](https://evil.example' }],
    [{ ...GITHUB, GITHUB_REPOSITORY: 'acme/sets?x="' }],
    [{ ...GITLAB, CI_PROJECT_URL: 'https://gitlab.com/a/./b' }],
    [{ ...GITLAB, CI_PROJECT_URL: 'https://gitlab.com/a b/c' }],
  ])('is unknown if the environment is incomplete or invalid: %j', environment => {
    expect(sourceBaseUrl(environment, undefined)).toBeUndefined()
    expect(sourceBaseUrl({ ...GITHUB, GITHUB_SHA: undefined }, event('main'))).toBeUndefined()
  })
})

/** The addresses of all links to places on a page. */
function linksIn(html: string): string[] {
  return [...html.matchAll(/<a class="place" href="([^"]*)"/g)].map(([, href = '']) =>
    href.replaceAll('&#39;', "'").replaceAll('&#38;', '&'),
  )
}

const PLAN = aPlan(
  [
    step('1', createSet('a', {}), at('sets/a (1).yaml', 3)),
    step('2', create('b', text('env/B', '1')), at('sets/b.yaml', 4)),
  ],
  {
    diagnostics: [
      { severity: 'warning', code: 'hcl-of-secret', message: 'x', source: at('sets/c#.yaml', 5) },
    ],
  },
)

describe('places', () => {
  test('are links to their line, in Markdown and HTML', () => {
    const markdown = renderers.markdown({ kind: 'plan', plan: PLAN }, { sources: SOURCES })
    expect(markdown).toContain(`[\`sets/a (1).yaml:3\`](${SOURCES}sets/a%20%281%29.yaml#L3) |`)
    expect(markdown).toContain(`[\`sets/b.yaml:4\`](${SOURCES}sets/b.yaml#L4) |`)
    expect(markdown).toContain(`[\`sets/c#.yaml:5:3\`](${SOURCES}sets/c%23.yaml#L5): hcl-of-secret`)
    const html = renderers.html({ kind: 'plan', plan: PLAN }, { sources: SOURCES })
    expect(linksIn(html)).toEqual([
      `${SOURCES}sets/b.yaml#L4`,
      `${SOURCES}sets/a%20%281%29.yaml#L3`,
      `${SOURCES}sets/c%23.yaml#L5`,
    ])
    expect(linksIn(renderers.html({ kind: 'plan', plan: PLAN }))).toEqual([])
  })

  /** A terminal shows a place as text, and programs get its parts. */
  const IS_LINKED: Readonly<Record<Format, boolean>> = {
    text: false,
    markdown: true,
    html: true,
    json: false,
    gitlab: false,
  }

  test.each(FORMATS)('are links in %s if it is Markdown or HTML', format => {
    const linked = renderers[format]({ kind: 'plan', plan: PLAN }, { color: false, sources: SOURCES })
    expect(linked.includes(SOURCES)).toBe(IS_LINKED[format])
  })

  test('are links for failed operations, too', () => {
    const result = aResult(PLAN, { '2': { status: 'failed', message: 'no' } }, { exitCode: 3 })
    expect(renderers.markdown({ kind: 'apply', result }, { sources: SOURCES })).toContain(
      `([\`sets/b.yaml:4\`](${SOURCES}sets/b.yaml#L4))`,
    )
  })

  test('only link to files of the commit, whatever the path contains', () => {
    fc.assert(
      fc.property(hostileTexts, texts => {
        const report = { kind: 'plan', plan: planWith(texts) } as const
        const html = renderers.html(report, { sources: SOURCES })
        for (const href of linksIn(html)) {
          const { origin, pathname, hash } = new URL(href)
          expect([origin, hash]).toEqual(['https://github.com', '#L3'])
          expect(pathname.startsWith(`/acme/sets/blob/${SHA}/`)).toBe(true)
        }
        expect(() => parse(html)).not.toThrow()
        const markdown = renderers.markdown(report, { sources: SOURCES })
        for (const node of nodesOf(markdownTree(markdown)))
          if (node.kind === 'link') expect(node.text.startsWith(SOURCES)).toBe(true)
      }),
      { seed: 20_251, numRuns: 60 },
    )
  })

  test('with paths like ../ or // are not links', () => {
    for (const path of ['../x.yaml', 'a//b', './a', '/etc/x', '\ud800.yaml'])
      expect(
        renderers.markdown(
          { kind: 'plan', plan: aPlan([step('1', createSet('a', {}), at(path, 1))]) },
          { sources: SOURCES },
        ),
      ).not.toContain('](')
  })

  test('are not links if the table would have to be shortened for them', () => {
    const plan = aPlan(
      Array.from({ length: 600 }, (_, n) => step(`${n}`, createSet(`set-${n}`, {}), at(`sets/${n}.yaml`, 1))),
    )
    const markdown = renderers.markdown({ kind: 'plan', plan }, { sources: SOURCES })
    expect(markdown.match(/^\| \+ \|/gm)).toHaveLength(600)
    expect(markdown).not.toContain('](')
  })
})
