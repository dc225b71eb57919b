import { isMap, isScalar, visit } from 'yaml'
import { entriesOf, entryOf, mapIn, mapOf, textOf } from './splices.ts'

/** A secret that a set file names, and the set that uses it, by its name in the service. */
export interface UsedSecret {
  readonly name: string
  readonly set: string
}

/** The secrets of a set file, also of one with mistakes: nothing else may get the name of one by accident. */
export const secretsIn = (text: string): UsedSecret[] =>
  entriesOf(mapIn(text, 'variableSets')).flatMap(({ key, value }) => {
    const named = entryOf(mapOf(value), 'name')?.value
    const set = textOf(isScalar(named) ? named : key)
    const found: UsedSecret[] = []
    visit(value, {
      Pair: (_, { key: word, value: held }) => {
        if (!isScalar(word) || word.value !== 'secret') return
        const name = isMap(held) ? held.get('name', true) : held
        if (isScalar(name)) found.push({ name: String(name.value), set })
      },
    })
    return found
  })
