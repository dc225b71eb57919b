import { spawn } from 'node:child_process'
import { here } from './measure.mjs'

export const environmentOf = ({ url, token }) => ({
  ...process.env,
  SETPOINT_ADDRESS: url,
  SETPOINT_TOKEN: token,
})

/** The service, in its own process. */
export async function serve(args, script = 'cold/serve.mjs') {
  const child = spawn(process.execPath, [here(script), ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  let text = ''
  for await (const chunk of child.stdout) {
    text += chunk
    if (text.includes('\n')) break
  }
  return { ...JSON.parse(text), end: () => child.kill() }
}
