/**
 * What the service is known to say of a request, word for word. A reason that is one of these holds no part of what was sent,
 * in whatever form; of any other that cannot be known. Numbers are the known limits, for a number can be a secret.
 */
const TITLES = [
  'bad request',
  'conflict',
  'forbidden',
  'internal server error',
  'invalid attribute',
  'invalid request',
  'malformed request',
  'not found',
  'too many requests',
  'unauthorized',
  'unprocessable entity',
  'unsupported media type',
]

const DETAILS = [
  'Category cannot be updated for a sensitive variable',
  'Category is not included in the list',
  'Description is too long (maximum is 512 characters)',
  'Hcl cannot be updated for a sensitive variable',
  "Key can't be blank",
  'Key cannot be updated for a sensitive variable',
  'Key has already been taken',
  'Key is invalid',
  'Key is too long (maximum is 128 characters)',
  "Name can't be blank",
  'Name has already been taken',
  'Name is invalid',
  'Sensitive cannot be changed from true to false on saved records. To make this variable readable, destroy this record and create a new one with the same key value.',
  "Value can't be blank",
  'Value cannot contain newlines in environment variables',
  'Value is invalid',
  'Value is too long (maximum is 256 KB)',
  'Value is too long (maximum is 262144 bytes)',
  'Value is too long (maximum is 262144 characters)',
  "You have exceeded the API's rate limit.",
]

const known: ReadonlySet<string> = new Set([...TITLES, ...DETAILS].map(spelt))

/** Titles have been seen in both cases, and a full stop says nothing. */
function spelt(text: string): string {
  return text.trim().toLowerCase().replace(/\.$/, '')
}

export const isKnownReason = (text: string): boolean => known.has(spelt(text))

/** The members of a request body, and the place of one variable in it: `variables` is how many it had. */
export function isKnownPointer(pointer: string, variables: number): boolean {
  const [place = '', ...more] = pointer.match(/\d+/g) ?? ['0']
  return (
    more.length === 0 && place.length <= 4 && Number(place) < Math.max(1, variables) && POINTER.test(pointer)
  )
}

const POINTER =
  /^\/data(?:\/relationships\/vars(?:\/data(?:\/\d+)?)?)?(?:\/(?:id|type|attributes(?:\/(?:name|description|global|priority|key|value|category|hcl|sensitive))?))?$/
