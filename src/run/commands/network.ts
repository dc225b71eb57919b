import type { HttpOptions } from '../../api/http.ts'
import { proxyFor } from '../../api/proxy.ts'
import type { Timing } from '../../api/timing.ts'
import type { World } from '../run.ts'

/** The clock of the run, for a client. */
export const timingOf = ({ elapsed, sleep, random }: World): Timing => ({ now: elapsed, sleep, random })

/** The network, with the proxies of the environment. The code for it is loaded here. */
export async function networkTo({ env }: Pick<World, 'env'>, origin: string, more: HttpOptions = {}) {
  const { httpTransport } = await import('../../api/http.ts')
  const certificatesUnchecked = env.NODE_TLS_REJECT_UNAUTHORIZED === '0'
  const proxy = proxyFor(new URL(origin), env)
  const transport = httpTransport(origin, { proxy, certificatesUnchecked, ...more })
  return { transport, close: transport.close }
}
