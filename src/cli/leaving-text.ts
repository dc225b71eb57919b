import { SECRET_PREFIX } from '../apply/secrets.ts'
import type { NeededSecret, StateExport } from '../export/from-state.ts'
import { leavingTerraform } from '../export/leave-terraform.ts'
import { quotedText, sealLines } from '../report/neutralise.ts'

/** What to do after an export from a Terraform state, in this order, so that nothing is managed by nobody or made twice. */
export function leavingText({ secrets, leaving, staying }: StateExport): string {
  const { removed, stateRm, mixed } = leavingTerraform(leaving, staying)
  if (stateRm === '') return ''
  const parts = [
    '',
    'Until the last step Terraform goes on managing these sets, so nothing is lost by stopping in between.',
    '',
    `1. Review and merge the files.${secretsText(secrets)}`,
    '',
    '2. Run setpoint plan until it has nothing to do. What differs was changed in the service, or by another state, since',
    '   Terraform last looked: setpoint export --update SET takes it into the files.',
    '',
    '3. Let Terraform go, and destroy nothing.',
    ...removedText(removed, mixed),
    ...rmText(stateRm, removed !== ''),
    '',
    'Throw the state file away when you are done: it holds the values of secrets in clear text.',
  ]
  return sealLines(`${parts.join('\n')}\n`)
}

function secretsText(secrets: readonly NeededSecret[]): string {
  if (secrets.length === 0) return ''
  const lines = secrets.map(
    ({ name, uses }) =>
      `     ${SECRET_PREFIX}${name}  ${uses.map(({ set, key }) => `${quotedText(set)} ${quotedText(key)}`).join(', ')}`,
  )
  return [
    ` An apply that sends ${secrets.length === 1 ? 'this secret' : 'one of these secrets'} needs its value`,
    '   (a block to paste: setpoint secrets --format github, gitlab or dotenv):',
    ...lines,
  ].join('\n')
}

const removedText = (removed: string, mixed: readonly string[]): string[] => [
  ...(removed === ''
    ? []
    : [
        '   Delete the resources from the configuration, put these blocks there, and apply (Terraform or OpenTofu 1.7 or newer;',
        '   where OpenTofu refuses `lifecycle`, leave it out: a removed block never destroys there).',
        '',
        removed,
      ]),
  ...(mixed.length === 0
    ? []
    : [
        `   Only some instances of ${mixed.join(', ')} leave, so there only the commands below fit; take those`,
        '   instances out of the configuration as well.',
        '',
      ]),
]

const rmText = (stateRm: string, isAlternative: boolean): string[] => [
  isAlternative
    ? '   Or delete the resources from the configuration and, before anybody applies it:'
    : '   Take them out of the configuration and, before anybody applies it:',
  '',
  stateRm.trimEnd(),
]
