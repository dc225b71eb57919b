import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Certificate {
  readonly key: string
  readonly cert: string
}

export interface Certificates {
  /** Self-signed, for 127.0.0.1. */
  readonly own: Certificate
  readonly expired: Certificate
  /** For another host. */
  readonly foreign: Certificate
}

/** Fresh certificates, or `undefined` on a machine without OpenSSL. */
export function makeCertificates(): Certificates | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'setpoint-tls-'))
  const openssl = (...args: string[]): void => {
    execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
  }
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
  const made = (name: string, host: string): Certificate => {
    const subject = ['-subj', '/CN=setpoint test', '-addext', `subjectAltName=${host}`]
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    openssl('req', '-x509', ...key, '-days', '2', '-keyout', `${name}.key`, '-out', `${name}.pem`, ...subject)
    return { key: read(`${name}.key`), cert: read(`${name}.pem`) }
  }
  try {
    openssl('version')
  } catch {
    rmSync(folder, { recursive: true })
    return undefined
  }
  try {
    const own = made('own', 'IP:127.0.0.1')
    openssl('req', '-new', '-key', 'own.key', '-subj', '/CN=setpoint test', '-out', 'old.csr')
    const sign = ['x509', '-req', '-in', 'old.csr', '-signkey', 'own.key', '-out', 'old.pem']
    try {
      openssl(...sign, '-days', '-1')
    } catch {
      openssl(...sign, '-not_before', '20200101000000Z', '-not_after', '20200102000000Z')
    }
    return {
      own,
      expired: { key: own.key, cert: read('old.pem') },
      foreign: made('foreign', 'DNS:elsewhere.example'),
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
