/** What a plan leads to, as the schema of reports defines it: rules see its objects, under their titles. */
const PREFIX = 'planned'

/** The objects that rules can name, by title: what each is, and the type and meaning of each field. A type with `?` may be absent. */
export function plannedObjects({ $defs }) {
  return Object.fromEntries(
    objectsIn($defs).map(([, { title, description, properties, required }]) => [
      title,
      {
        about: description,
        fields: Object.fromEntries(
          Object.entries(properties).map(([field, one]) => [
            field,
            [`${celType(one, $defs)}${required.includes(field) ? '' : '?'}`, meaningOf(one)],
          ]),
        ),
      },
    ]),
  )
}

/** The same as types of the program, and their fields with the types of rules. */
export function plannedCode(schema) {
  const { $defs } = schema
  const types = objectsIn($defs).map(([name, { description, properties, required }]) => {
    const members = Object.entries(properties).map(
      ([field, one]) =>
        `  /** ${one.description} */\n  readonly ${field}${required.includes(field) ? '' : '?'}: ${tsType(one)}\n`,
    )
    return `/** ${description} */\nexport interface ${capital(name)} {\n${members.join('')}}\n`
  })
  const fields = Object.entries(plannedObjects(schema)).map(([title, { fields }]) => [
    title,
    Object.fromEntries(Object.entries(fields).map(([field, [type]]) => [field, type])),
  ])
  return [
    '// Generated from schemas/parts/report.json by scripts/generate.mjs. Do not edit.\n',
    ...types,
    `/** The types of the fields for rules, by the title of their object. A type with \`?\` may be absent. */\nexport const PLANNED = ${JSON.stringify(Object.fromEntries(fields), undefined, 2)} as const\n`,
  ].join('\n')
}

const objectsIn = $defs =>
  Object.entries($defs).filter(([name, { type }]) => name.startsWith(PREFIX) && type === 'object')

const meaningOf = ({ description, enum: values }) =>
  values === undefined || values.every(value => description.includes(`\`${value}\``))
    ? description
    : `${description} ${values.map(value => `\`${value}\``).join(', ')}.`

const REFERENCE = '#/$defs/'
/** A workspace by its id, or a group by its position. */
const REFERENCED = `${REFERENCE}plannedWorkspaceRef`

function celType({ $ref, type, items }, $defs) {
  if ($ref !== undefined) return $defs[$ref.slice(REFERENCE.length)].title
  if (type === 'array') return `list<${celType(items, $defs)}>`
  return { string: 'string', integer: 'int', boolean: 'bool' }[type]
}

function tsType({ $ref, type, items, enum: values }) {
  if ($ref === REFERENCED) return 'string | number'
  if ($ref !== undefined) return capital($ref.slice(REFERENCE.length))
  if (type === 'array')
    return `readonly ${items.$ref === REFERENCED ? `(${tsType(items)})` : tsType(items)}[]`
  if (values !== undefined) return values.map(value => `'${value}'`).join(' | ')
  return type === 'integer' ? 'number' : type
}

const capital = name => `${name[0].toUpperCase()}${name.slice(1)}`
