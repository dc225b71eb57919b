/** Members of the facts that reports of older versions do not have. */
const NEWER = ['effective', 'exposure', 'transition', 'origins']

/**
 * The schema of the report with the definitions of the plan's schema, because both have the same steps and facts. A report hides
 * more values, and later versions may add members, so no object is closed.
 */
export function reportSchema(plan, report) {
  const own = Object.entries(report.$defs).filter(([name]) => !(name in plan.$defs))
  const shared = opened(plan.$defs)
  const { desiredValue, facts } = shared
  desiredValue.oneOf.push({ $ref: '#/$defs/hidden' }, { $ref: '#/$defs/withheld' })
  facts.required = facts.required.filter(name => !NEWER.includes(name))
  return { ...report, $defs: { ...shared, ...Object.fromEntries(own) } }
}

function opened(schema) {
  if (Array.isArray(schema)) return schema.map(opened)
  if (typeof schema !== 'object' || schema === null) return schema
  const { additionalProperties, ...rest } = schema
  const kept = additionalProperties === undefined || additionalProperties === false ? rest : schema
  return Object.fromEntries(Object.entries(kept).map(([name, value]) => [name, opened(value)]))
}
