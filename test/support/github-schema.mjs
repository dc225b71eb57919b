// Reads a workflow or an action of GitHub from stdin and prints what GitHub's own parser says against it, a line each.
import { readFileSync } from 'node:fs'
import { register } from 'node:module'

const hooks = `
import { readFile } from 'node:fs/promises'
export const load = async (url, context, next) =>
  url.endsWith('.json')
    ? { format: 'module', shortCircuit: true, source: 'export default ' + (await readFile(new URL(url), 'utf8')) }
    : next(url, context)
`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)

const { NoOperationTraceWriter, parseWorkflow } = await import('@actions/workflow-parser')
const { parseAction } = await import('@actions/workflow-parser/actions/action-parser')
const file = { name: process.argv[2], content: readFileSync(0, 'utf8') }
const parsed = (process.argv[2] === 'action' ? parseAction : parseWorkflow)(
  file,
  new NoOperationTraceWriter(),
)
for (const { message } of parsed.context.errors.getErrors()) process.stdout.write(`${message}\n`)
