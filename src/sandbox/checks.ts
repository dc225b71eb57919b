import { isObject } from './request.ts'

/** Everything wrong with the value at a place, a sentence each. */
export type Check = (value: unknown, at: string) => readonly string[]

const must =
  (what: string, fits: (value: unknown) => boolean): Check =>
  (value, at) =>
    fits(value) ? [] : [`${at}: must be ${what}`]

export const text = must('a text', value => typeof value === 'string')
export const flag = must('true or false', value => typeof value === 'boolean')
export const map = must('a map', isObject)

export const among = (...known: readonly (string | number)[]) =>
  must(`one of ${known.join(', ')}`, value => known.some(one => one === value))

export const numberFrom = (least: number, most = Number.POSITIVE_INFINITY) =>
  must(
    `a number from ${least} ${most === Number.POSITIVE_INFINITY ? 'up' : `to ${most}`}`,
    value => typeof value === 'number' && value >= least && value <= most,
  )

export const listOf =
  (each: Check): Check =>
  (value, at) =>
    Array.isArray(value)
      ? value.flatMap((one, index) => each(one, `${at}[${index}]`))
      : [`${at}: must be a list`]

export const mapOf =
  (each: Check): Check =>
  (value, at) => [
    ...map(value, at),
    ...Object.entries(isObject(value) ? value : {}).flatMap(([name, one]) => each(one, `${at}.${name}`)),
  ]

/** A map with these members and no others. `whole` is the place of the outermost map. */
export const members =
  (checks: Readonly<Record<string, Check>>, needed: readonly string[] = [], whole = ''): Check =>
  (value, at) => {
    if (!isObject(value)) return map(value, at || whole)
    const within = at && `${at}.`
    const unknown = Object.keys(value).filter(name => !Object.hasOwn(checks, name))
    return [
      ...unknown.map(name => `${within}${name}: is not known`),
      ...Object.entries(checks).flatMap(([name, check]) => {
        if (value[name] !== undefined) return check(value[name], `${within}${name}`)
        return needed.includes(name) ? [`${within}${name}: is missing`] : []
      }),
    ]
  }
