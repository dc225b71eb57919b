import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { checkAddress } from '../../src/api/address.ts'
import { Token, withToken } from '../../src/api/client.ts'
import { readConnections } from '../../src/api/connection.ts'
import { Redactor } from '../../src/model/secret.ts'

const TOKEN = 'canary-7f3a.atlasv1.9c2e'

interface Given {
  readonly address?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly files?: Readonly<Record<string, string>>
}

const given = ({ address, environment = {}, files = {} }: Given) => {
  const { value, diagnostics } = readConnections(
    address === undefined ? {} : { address },
    [{ organization: 'acme' }],
    {
      environment,
      home: '/home/u',
      directory: undefined,
      readFile: path => files[path],
    },
  )
  return { value: value?.get('acme'), diagnostics }
}

/** The token as a request carries it, because a token cannot be read directly. */
async function sentWith(token: Token): Promise<string | undefined> {
  let seen: string | undefined
  await withToken(async request => {
    seen = request.headers.authorization
    return { status: 200, headers: {}, body: '' }
  }, token)({ method: 'GET', path: '/', headers: {} })
  return seen
}

async function found(from: Given) {
  const { value, diagnostics } = given(from)
  return value === undefined
    ? diagnostics.map(({ code, message, hint }) => `${code}: ${message} (${hint})`)
    : {
        address: value.address,
        from: value.addressSource,
        token: (await sentWith(value.token))?.replace('Bearer ', ''),
        tokenFrom: value.tokenSource,
      }
}

describe('the address', () => {
  const environment = {
    SETPOINT_ADDRESS: 'https://setpoint.example',
    TFE_ADDRESS: 'https://tfe.example',
    TFE_HOSTNAME: 'host.example:8443',
    TFE_TOKEN: TOKEN,
  }
  test.each([
    ['the flag', { address: 'https://flag.example', environment }, 'https://flag.example', '--address'],
    ['SETPOINT_ADDRESS', { environment }, 'https://setpoint.example', 'SETPOINT_ADDRESS'],
    [
      'TFE_ADDRESS',
      { environment: { ...environment, SETPOINT_ADDRESS: '' } },
      'https://tfe.example',
      'TFE_ADDRESS',
    ],
    [
      'TFE_HOSTNAME',
      { environment: { TFE_HOSTNAME: 'host.example:8443', TFE_TOKEN: TOKEN } },
      'https://host.example:8443',
      'TFE_HOSTNAME',
    ],
    ['the public service', { environment: { TFE_TOKEN: TOKEN } }, 'https://app.terraform.io', 'default'],
  ])('comes from %s', (_, from, address, place) => {
    const { value } = given(from)
    expect([value?.address, value?.addressSource]).toEqual([address, place])
  })

  test.each([
    ['https://app.terraform.io/', 'https://app.terraform.io'],
    ['HTTPS://App.Terraform.IO:443', 'https://app.terraform.io'],
    ['https://tfe.example/base/path//', 'https://tfe.example/base/path'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['http://localhost:8080', 'http://localhost:8080'],
    ['http://127.0.0.1:1', 'http://127.0.0.1:1'],
    ['http://127.8.9.1', 'http://127.8.9.1'],
    ['http://127.1', 'http://127.0.0.1'],
    ['http://2130706433', 'http://127.0.0.1'],
    ['http://0x7f.1', 'http://127.0.0.1'],
    ['http://127.0.0.1.:8080', 'http://127.0.0.1:8080'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
    ['http://[0:0:0:0:0:0:0:1]', 'http://[::1]'],
  ])('%s is accepted as %s', (written, url) => {
    expect(checkAddress(written, 'x').value?.url).toBe(url)
  })

  test('is the same in each of 20,000 checks', () => {
    const hosts = Array.from(
      { length: 20_000 },
      () => checkAddress('https://bücher.example', 'x').value?.host,
    )
    expect(new Set(hosts)).toEqual(new Set(['xn--bcher-kva.example']))
  })

  test.each([
    ['http://app.terraform.io', 'plain http'],
    ['http://127.0.0.1.evil.example', 'plain http'],
    ['http://localhost.evil.example', 'plain http'],
    ['http://localhost.', 'plain http'],
    ['http://evil.localhost', 'plain http'],
    ['http://0.0.0.0', 'plain http'],
    ['http://128.0.0.1', 'plain http'],
    ['http://2130706434.example', 'plain http'],
    ['http://[::ffff:127.0.0.1]', 'plain http'],
    ['http://[::]', 'plain http'],
    ['http://[fe80::1]', 'plain http'],
    ['http://localhost@evil.example', 'user name'],
    ['http://127.0.0.1:80@evil.example', 'user name'],
    ['https://user:canary@app.terraform.io', 'user name'],
    ['https://@app.terraform.io', 'user name'],
    ['https://app.terraform.io?x=canary', 'query'],
    ['https://app.terraform.io#x', 'query'],
    ['https://app.terraform.io/?', 'query'],
    ['https://app.terraform.io/api/v2', '/api/v2'],
    ['https://tfe.example/base/api/v2/', '/api/v2'],
    ['https://app.terraform.io/app/acme', 'the address of a page'],
    ['https://app.terraform.io/app', 'the address of a page'],
    ['https://https://app.terraform.io', 'has https:// twice'],
    ['app.terraform.io', 'https://'],
    ['localhost:8080', 'https://'],
    ['//app.terraform.io', 'https://'],
    ['https:app.terraform.io', 'https://'],
    ['https:///app.terraform.io', 'https://'],
    ['ftp://app.terraform.io', 'https://'],
    ['javascript:alert(1)', 'https://'],
    ['https://app.terra\nform.io', 'invisible'],
    ['https://app.terraform.io ', 'invisible'],
    ['https:\\\\app.terraform.io', 'https://'],
    ['https://app.terraform.io\\@evil.example', 'backslash'],
    ['https://app.terraform.io:99999', 'is not a valid URL'],
    ['https://[::1', 'is not a valid URL'],
    ['https://', 'https://'],
  ])('%j is refused', (written, why) => {
    const { value, diagnostics } = checkAddress(written, 'TFE_ADDRESS')
    expect(value).toBeUndefined()
    expect(diagnostics).toHaveLength(1)
    expect(diagnostics[0]?.code).toBe('bad-address')
    expect(diagnostics[0]?.message).toContain(why)
    expect(JSON.stringify(diagnostics)).not.toContain('canary')
  })
})

describe('the token', () => {
  const address = 'https://tfe.my-company.example'
  const named = 'TF_TOKEN_tfe_my__company_example'
  const jsonFile = '/home/u/.terraform.d/credentials.tfrc.json'
  const json = (host: string, token = TOKEN) => JSON.stringify({ credentials: { [host]: { token } } })

  test('comes from SETPOINT_TOKEN first', async () => {
    const environment = { SETPOINT_TOKEN: TOKEN, TFE_TOKEN: 'b', [named]: 'c' }
    expect(await found({ address, environment })).toEqual({
      address,
      from: '--address',
      token: TOKEN,
      tokenFrom: 'SETPOINT_TOKEN',
    })
  })

  test.each<[string, Omit<Given, 'address'>]>([
    ['TFE_TOKEN', { environment: { SETPOINT_TOKEN: '', TFE_TOKEN: TOKEN, [named]: 'c' } }],
    [named, { environment: { [named]: TOKEN, TF_TOKEN_tfe_example: 'other' } }],
    ['TF_TOKEN_tfe_my-company_example', { environment: { 'TF_TOKEN_tfe_my-company_example': TOKEN } }],
    ['TF_TOKEN_TFE_My__Company_Example', { environment: { TF_TOKEN_TFE_My__Company_Example: TOKEN } }],
    [jsonFile, { files: { [jsonFile]: json('tfe.my-company.example') } }],
    [
      '/home/u/.terraformrc',
      {
        files: {
          [jsonFile]: json('other.example'),
          '/home/u/.terraformrc': `
            plugin_cache_dir = "x" # credentials "tfe.my-company.example" { token = "commented" }
            /* credentials "tfe.my-company.example" { token = "commented" } */
            credentials "other.example" { token = "other" }
            credentials "TFE.my-company.example" {
              token = "${TOKEN}" // the token
            }`,
        },
      },
    ],
    [
      '/etc/tf.rc',
      {
        environment: { TF_CLI_CONFIG_FILE: '/etc/tf.rc' },
        files: {
          [jsonFile]: json('tfe.my-company.example', 'not read'),
          '/etc/tf.rc': `credentials "tfe.my-company.example" { token = "${TOKEN}" }`,
        },
      },
    ],
  ])('comes from %s', async (place, from) => {
    expect(await found({ address, ...from })).toEqual({
      address,
      from: '--address',
      token: TOKEN,
      tokenFrom: place,
    })
  })

  test('is found for an internationalized host, in Unicode and in punycode', async () => {
    const host = 'https://bücher.example'
    for (const name of ['TF_TOKEN_bücher_example', 'TF_TOKEN_xn____bcher__kva_example'])
      expect(await found({ address: host, environment: { [name]: TOKEN } })).toMatchObject({
        token: TOKEN,
        tokenFrom: name,
      })
  })

  test.each<[string, Given]>([
    ['another host', { environment: { TF_TOKEN_app_terraform_io: TOKEN } }],
    ['the parent domain', { environment: { TF_TOKEN_my__company_example: TOKEN } }],
    ['another port', { address: `${address}:8443`, environment: { [named]: TOKEN } }],
    ['another host in a file', { files: { [jsonFile]: json('app.terraform.io') } }],
    ['an empty host name', { environment: { TF_TOKEN_: TOKEN } }],
    ['a host name with a user name', { environment: { 'TF_TOKEN_x@tfe_my__company_example': TOKEN } }],
  ])('for %s is not used', async (_, from) => {
    expect(await found({ address, ...from })).toEqual([
      expect.stringMatching(
        /^no-token: There is no token for tfe\.my-company\.example(:8443)?\. \(Set SETPOINT_TOKEN or TFE_TOKEN, or run: terraform login tfe\./,
      ),
    ])
  })

  test('is looked for in files only while no variable has one, and all that were read are known', () => {
    const read: string[] = []
    const environment = { TFE_TOKEN: TOKEN, TF_TOKEN_other_example: 'other-canary-token' }
    const sources = {
      home: '/home/u',
      directory: undefined,
      readFile: (path: string) => void read.push(path),
    }
    const acme = [{ organization: 'acme' }]
    const { value } = readConnections({ address }, acme, { ...sources, environment })
    const redactor = new Redactor()
    for (const token of value?.get('acme')?.known ?? []) token.tell(redactor)
    expect([read, redactor.text(`${TOKEN} other-canary-token`)]).toEqual([[], '[token] [token]'])
    readConnections({ address }, acme, { ...sources, environment: {} })
    expect(read).toEqual([jsonFile, '/home/u/.terraformrc'])
  })

  test('is used without one trailing line break', async () => {
    for (const end of ['\n', '\r\n'])
      expect(await found({ environment: { TFE_TOKEN: `${TOKEN}${end}` } })).toMatchObject({ token: TOKEN })
  })

  test.each([`${TOKEN}\n\n`, ` ${TOKEN}`, `${TOKEN}\r\nx: y`, `${TOKEN}é`, `${TOKEN}\u0000`, '\n'])(
    'with an invalid character is refused and never shown (%#)',
    async text => {
      const { value, diagnostics } = given({ environment: { TFE_TOKEN: text } })
      expect(value).toBeUndefined()
      expect(diagnostics.map(({ code }) => code)).toEqual(['no-token'])
      expect(diagnostics[0]?.message).toContain('The token in TFE_TOKEN contains')
      expect(inspect(diagnostics)).not.toContain('canary')
    },
  )

  test('cannot be printed', () => {
    const token = new Token(TOKEN)
    const shown = [
      inspect(token, { showHidden: true, depth: 9, customInspect: false }),
      inspect({ token }),
      String(token),
      `${token}`,
      Object.keys(token).join(),
    ].join()
    expect(shown).not.toContain('canary')
    expect([inspect(token), `${token}`]).toEqual(['[token]', '[token]'])
    expect(() => JSON.stringify({ token })).toThrow('a token cannot be serialised')
  })

  test.each([
    ['a', 200, 'a data'],
    ['a', 422, '[token] d[token]t[token]'],
    ['a-token-of-a-usual-length', 200, 'it is a-token-of-a-usual-length'],
    ['a-token-of-a-usual-length', 401, 'it is [token]'],
  ])('is redacted from error responses only: %s, status %i', async (text, status, left) => {
    const body = text === 'a' ? 'a data' : `it is ${text}`
    const transport = withToken(async () => ({ status, headers: {}, body }), new Token(text))
    expect((await transport({ method: 'GET', path: '/', headers: {} })).body).toBe(left)
  })

  test.each([
    [401, '[token]'],
    [302, '[token]'],
    [200, TOKEN],
  ])('is removed from a response with status %s, unless its values are compared', async (status, shown) => {
    const echo = { status, headers: { location: `https://x/?t=${TOKEN}` }, body: `"${TOKEN}" "${TOKEN}"` }
    const response = await withToken(
      async () => echo,
      new Token(TOKEN),
    )({ method: 'GET', path: '/', headers: {} })
    expect(response).toEqual({
      status,
      headers: { location: `https://x/?t=${shown}` },
      body: `"${shown}" "${shown}"`,
    })
  })

  test('is redacted from output', () => {
    const redactor = new Redactor()
    new Token(TOKEN).tell(redactor)
    expect(redactor.text(`it is ${TOKEN}`)).toBe('it is [token]')
  })

  test('is not read from a malformed credentials file, and the warning does not quote the file', () => {
    const { value, diagnostics } = given({ files: { [jsonFile]: '{"credentials": canary' } })
    expect(value).toBeUndefined()
    expect(diagnostics.map(({ code, severity }) => [severity, code])).toEqual([
      ['warning', 'unreadable-file'],
      ['error', 'no-token'],
    ])
    expect(JSON.stringify(diagnostics)).not.toContain('canary')
  })

  test.each(['[]', '{"credentials": []}', '{"credentials": {"app.terraform.io": "x"}}', 'null', '{}'])(
    'is not found in a credentials file like %s',
    content => {
      const { value, diagnostics } = given({ files: { [jsonFile]: content } })
      expect(value).toBeUndefined()
      expect(diagnostics.at(-1)?.code).toBe('no-token')
    },
  )
})

describe('a token for each organization', () => {
  const place = { path: 'orgs/globex/setpoint.yaml', line: 1, column: 1 }
  const all = [
    { organization: 'acme-prod' },
    { organization: 'globex', source: place },
    { organization: 'Initech_2' },
  ]
  const read = (environment: Readonly<Record<string, string>>, organizations = all) =>
    readConnections({}, organizations, {
      environment,
      home: undefined,
      directory: undefined,
      readFile: () => undefined,
    })

  test('is in the variable with its name, in upper case and with _ for other characters', async () => {
    const environment = {
      SETPOINT_TOKEN: 'shared',
      SETPOINT_TOKEN_ACME_PROD: 'of-acme',
      SETPOINT_TOKEN_GLOBEX: 'of-globex',
      SETPOINT_TOKEN_INITECH_2: 'of-initech',
      TF_TOKEN_app_terraform_io: 'of-the-host',
    }
    const { value, diagnostics } = read(environment)
    const sent = await Promise.all(
      [...(value ?? [])].map(async ([name, { token }]) => [name, await sentWith(token)]),
    )
    expect([sent, diagnostics]).toEqual([
      [
        ['acme-prod', 'Bearer of-acme'],
        ['globex', 'Bearer of-globex'],
        ['Initech_2', 'Bearer of-initech'],
      ],
      [],
    ])
  })

  test('leaves the files of credentials unread', () => {
    const paths: string[] = []
    const { value } = readConnections({}, [{ organization: 'globex' }], {
      environment: { SETPOINT_TOKEN_GLOBEX: 'of-globex' },
      home: '/home/u',
      directory: undefined,
      readFile: path => void paths.push(path),
    })
    expect([value?.get('globex')?.tokenSource, paths]).toEqual(['SETPOINT_TOKEN_GLOBEX', []])
  })

  test('is required of every organization if one has it, and all that lack it are reported at once', () => {
    const { value, diagnostics } = read({
      SETPOINT_TOKEN: 'shared',
      SETPOINT_TOKEN_ACME_PROD: 'x',
      SETPOINT_TOKEN_INITECH_2: '',
    })
    expect(value).toBeUndefined()
    expect(diagnostics).toEqual([
      {
        severity: 'error',
        code: 'no-token',
        message:
          'There is no token for the organization "globex". It needs its own, because SETPOINT_TOKEN_ACME_PROD is set.',
        hint: 'Set SETPOINT_TOKEN_GLOBEX. No other token is used while an organization has its own.',
        source: place,
      },
      expect.objectContaining({ message: expect.stringContaining('the organization "Initech_2"') }),
    ])
  })

  test('cannot be that of two organizations', () => {
    const two = [{ organization: 'acme-prod' }, { organization: 'acme.prod' }, { organization: 'acme-prod' }]
    const { value, diagnostics } = read({ SETPOINT_TOKEN_ACME_PROD: 'x' }, two)
    expect(value).toBeUndefined()
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'The organizations "acme-prod" and "acme.prod" share the variable SETPOINT_TOKEN_ACME_PROD, so nobody can know whose token it has.',
    ])
    expect(read({ SETPOINT_TOKEN: 'shared' }, two).diagnostics).toEqual([])
  })

  test('with an invalid character is refused and never shown', () => {
    const { diagnostics } = read({ SETPOINT_TOKEN_GLOBEX: 'canary canary' }, [{ organization: 'globex' }])
    expect(diagnostics.map(({ message }) => message)).toEqual([
      expect.stringContaining('The token in SETPOINT_TOKEN_GLOBEX contains a space'),
    ])
    expect(inspect(diagnostics)).not.toContain('canary')
  })
})
