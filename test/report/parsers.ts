import type { Nodes, Root } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import { type DefaultTreeAdapterTypes, parse } from 'parse5'

/** Markdown as GitHub reads it: CommonMark with tables, autolinks, footnotes, strikethrough and task lists. */
export const markdownTree = (markdown: string): Root =>
  fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] })

/** A node: its kind, the content of text outside code and of raw HTML, and the target of a link. */
export interface Seen {
  readonly kind: string
  readonly text: string
}

/** All nodes of a document in order. Code appears only as a kind, because its content is harmless. */
export function nodesOf(tree: Nodes): Seen[] {
  const own: Seen = {
    kind: tree.type === 'heading' ? `heading${tree.depth}` : tree.type,
    text: tree.type === 'text' || tree.type === 'html' ? tree.value : tree.type === 'link' ? tree.url : '',
  }
  return 'children' in tree ? [own, ...tree.children.flatMap(nodesOf)] : [own]
}

/** The contents of all code in a document, in order. */
export const codeOf = (tree: Nodes): string[] =>
  tree.type === 'inlineCode' || tree.type === 'code'
    ? [tree.value]
    : 'children' in tree
      ? tree.children.flatMap(codeOf)
      : []

/**
 * Text that a forge turns into a link, a mention or an action outside of code: `@team`, `#1`, `GH-1`, `!1`, `%1`, `~bug`, `$1`,
 * `&1`, `:tada:`, a commit, an address.
 */
export const REFERENCE =
  /(?:^|[^\w`])(?:[@%~][\w(]|[#!$&]\d)|\bGH-\d|:\w+:|\b[0-9a-f]{7,40}\b|https?:|www\.|\w@\w|\[\[|\[\^|\{[+-]|[+-]\}|\$\$/i

/** Everything in a Markdown report that is not our layout: nodes, HTML or references from untrusted text. */
export function foreignIn(markdown: string): Seen[] {
  const nodes = nodesOf(markdownTree(markdown))
  const headings = nodes.filter(({ kind }) => kind.startsWith('heading'))
  return [
    ...nodes.filter(({ kind }) => !OURS.has(kind)),
    ...nodes.filter(({ kind, text }) => kind === 'html' && !OUR_HTML.test(text)),
    ...nodes.filter(({ kind, text }) => kind === 'text' && REFERENCE.test(text)),
    ...headings.slice(1),
  ]
}

/** The nodes of the layout of a report. */
const OURS: ReadonlySet<string> = new Set([
  ...['root', 'heading3', 'paragraph', 'text', 'strong', 'inlineCode', 'code', 'html'],
  ...['blockquote', 'list', 'listItem', 'table', 'tableRow', 'tableCell'],
])
const OUR_HTML =
  /^(?:<!-- setpoint:[\w!~*'().%/-]* -->(?:\n<!-- nothing changes -->)?|<!-- nothing changes -->|<details(?: open)?><summary>(?:[\w ]|\(\d+ groups?\))+<\/summary>|<\/details>)$/

type HtmlNode = DefaultTreeAdapterTypes.Node

/** The elements of a page with the names of their attributes, in order, as a browser would build them. */
export const elementsOf = (page: string): string[] =>
  nodesIn(parse(page)).flatMap(node =>
    'tagName' in node ? [[node.tagName, ...node.attrs.map(({ name }) => name)].join(' ')] : [],
  )

/** The values of one attribute, in order. */
export const attributesOf = (page: string, element: string, attribute: string): string[] =>
  nodesIn(parse(page)).flatMap(node =>
    'tagName' in node && node.tagName === element
      ? node.attrs.filter(({ name }) => name === attribute).map(({ value }) => value)
      : [],
  )

export const textOf = (page: string): string =>
  nodesIn(parse(page))
    .map(node => ('value' in node ? node.value : ''))
    .join('')

const nodesIn = (node: HtmlNode): HtmlNode[] => [
  node,
  ...('content' in node ? nodesIn(node.content) : []),
  ...('childNodes' in node ? node.childNodes.flatMap(nodesIn) : []),
]
