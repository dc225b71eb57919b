export const DEMO_MARK = '# Made by "setpoint demo".'

/** A small repository that shows most of the file format. */
export const DEMO_FILES: readonly (readonly [path: string, text: string])[] = [
  [
    'setpoint.yaml',
    `${DEMO_MARK}
organization: acme
guards:
  protect: [network-*]
`,
  ],
  [
    'sets/network.yaml',
    `variableSets:
  network-base:
    description: Every workspace of the organization sees this.
    global: true
    env:
      HTTP_PROXY: http://proxy.acme.test:3128
      NO_PROXY: localhost,.acme.test
`,
  ],
  [
    'sets/payments.yaml',
    `bases:
  payments:
    env:
      LOG_LEVEL: info
    terraform:
      replicas: 2
variableSets:
  payments-staging:
    from: payments
    workspaces: [payments-staging]
  payments-prod:
    from: payments
    workspaces: [payments-prod]
    env:
      DB_PASSWORD:
        description: Rotated by the payments team.
        secret: DB_PASSWORD
    terraform:
      replicas: 6
      zones: { data: [eu-west-1a, eu-west-1b] }
`,
  ],
]
