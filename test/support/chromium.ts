import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome']

/**
 * A browser of the Chromium family: that of CHROMIUM, or the first on the path. Without one, tests that need it are skipped.
 */
export function findChromium(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const chosen = env.CHROMIUM
  const found = (env.PATH ?? '').split(delimiter).flatMap(folder => NAMES.map(name => join(folder, name)))
  return [...(chosen ? [chosen] : []), ...found].find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

type Message = Readonly<Record<string, unknown>>

/** A page of a browser without a window, controlled over a pipe by the browser's own protocol. */
export class Browser {
  readonly #child: ChildProcess
  readonly #directory: string
  readonly #waiting = new Map<number, { resolve: (value: Message) => void; reject: (error: Error) => void }>()
  readonly #to: Writable
  #session: string | undefined
  #count = 0
  /** Requests of the page, and its errors. */
  readonly requests: string[] = []
  readonly complaints: string[] = []
  #loaded: (() => void) | undefined

  private constructor(program: string) {
    this.#directory = mkdtempSync(join(tmpdir(), 'setpoint-browser-'))
    this.#child = spawn(
      program,
      [
        '--headless=new',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--disable-dev-shm-usage',
        '--hide-scrollbars',
        `--user-data-dir=${this.#directory}`,
        '--remote-debugging-pipe',
        'about:blank',
      ],
      { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
    )
    const [, , , to, from] = this.#child.stdio
    this.#to = to as Writable
    this.#to.on('error', () => {})
    this.#listen(from as Readable)
    this.#child.on('exit', () => this.#fail(new Error('the browser ended')))
  }

  static async open(program: string): Promise<Browser> {
    const browser = new Browser(program)
    const { targetInfos } = await browser.#send('Target.getTargets')
    const [page] = (targetInfos as { type: string; targetId: string }[]).filter(({ type }) => type === 'page')
    const { sessionId } = await browser.#send('Target.attachToTarget', {
      targetId: page?.targetId,
      flatten: true,
    })
    browser.#session = String(sessionId)
    for (const domain of ['Page', 'Runtime', 'Network', 'Log', 'Accessibility', 'DOM'])
      await browser.#send(`${domain}.enable`)
    return browser
  }

  async show(url: string): Promise<void> {
    this.requests.length = 0
    this.complaints.length = 0
    const loaded = new Promise<void>(resolve => {
      this.#loaded = resolve
    })
    await this.#send('Page.navigate', { url })
    await loaded
  }

  async size(width: number, height: number): Promise<void> {
    await this.#send('Emulation.setDeviceMetricsOverride', {
      width,
      height,
      deviceScaleFactor: 1,
      mobile: false,
    })
  }

  /** `scheme` is `dark` or `light`; the medium `print` renders the page as for a printer. */
  async media(scheme: 'dark' | 'light', medium: '' | 'print' = ''): Promise<void> {
    const features = [{ name: 'prefers-color-scheme', value: scheme }]
    await this.#send('Emulation.setEmulatedMedia', { media: medium, features })
  }

  async scripts(allowed: boolean): Promise<void> {
    await this.#send('Emulation.setScriptExecutionDisabled', { value: !allowed })
  }

  /** The value of an expression in the page. */
  async value(expression: string): Promise<unknown> {
    const answer = await this.#send('Runtime.evaluate', {
      expression,
      returnByValue: true,
      awaitPromise: true,
    })
    if (answer.exceptionDetails !== undefined) throw new Error(JSON.stringify(answer.exceptionDetails))
    return (answer.result as { value?: unknown }).value
  }

  async key(key: string, code = key): Promise<void> {
    const text = key.length === 1 ? { text: key } : key === 'Enter' ? { text: '\r' } : {}
    const number = { Tab: 9, Enter: 13, Escape: 27, ' ': 32 }[key] ?? key.toUpperCase().charCodeAt(0)
    const event = { key, code, windowsVirtualKeyCode: number }
    await this.#send('Input.dispatchKeyEvent', { type: 'keyDown', ...event, ...text })
    await this.#send('Input.dispatchKeyEvent', { type: 'keyUp', ...event })
  }

  /** Roles and names that a screen reader announces, in order. */
  async heard(): Promise<{ role: string; name: string }[]> {
    const { nodes } = await this.#send('Accessibility.getFullAXTree')
    return (nodes as { ignored: boolean; role?: { value: string }; name?: { value: string } }[])
      .filter(({ ignored }) => !ignored)
      .map(({ role, name }) => ({ role: role?.value ?? '', name: name?.value ?? '' }))
  }

  /** PNG of a part of the page, or of the window. */
  async picture(clip?: { x: number; y: number; width: number; height: number }): Promise<Buffer> {
    const part = clip === undefined ? {} : { clip: { ...clip, scale: 1 }, captureBeyondViewport: true }
    const { data } = await this.#send('Page.captureScreenshot', { format: 'png', ...part })
    return Buffer.from(String(data), 'base64')
  }

  async paper(): Promise<Buffer> {
    const { data } = await this.#send('Page.printToPDF', { printBackground: false })
    return Buffer.from(String(data), 'base64')
  }

  async close(): Promise<void> {
    const ended = new Promise(resolve => this.#child.once('exit', resolve))
    await this.#send('Browser.close', {}, true).catch(() => {})
    await ended
    rmSync(this.#directory, { recursive: true, force: true, maxRetries: 5 })
  }

  #send(method: string, params: Message = {}, toBrowser = false): Promise<Message> {
    const id = ++this.#count
    const session = toBrowser || this.#session === undefined ? {} : { sessionId: this.#session }
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#to.write(`${JSON.stringify({ id, method, params, ...session })}\0`)
    })
  }

  #listen(from: Readable): void {
    let rest = ''
    from.setEncoding('utf8')
    from.on('data', (piece: string) => {
      const messages = `${rest}${piece}`.split('\0')
      rest = messages.pop() ?? ''
      for (const message of messages) this.#take(JSON.parse(message))
    })
  }

  #take({ id, result, error, method, params }: Message): void {
    if (typeof id === 'number') {
      const waiting = this.#waiting.get(id)
      this.#waiting.delete(id)
      if (error === undefined) waiting?.resolve(result as Message)
      else waiting?.reject(new Error(JSON.stringify(error)))
      return
    }
    const about = params as {
      request?: { url: string }
      entry?: { text: string }
      exceptionDetails?: unknown
    }
    if (method === 'Page.loadEventFired') this.#loaded?.()
    if (method === 'Network.requestWillBeSent' && about.request) this.requests.push(about.request.url)
    if (method === 'Log.entryAdded' && about.entry) this.complaints.push(about.entry.text)
    if (method === 'Runtime.exceptionThrown') this.complaints.push(JSON.stringify(about.exceptionDetails))
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}
