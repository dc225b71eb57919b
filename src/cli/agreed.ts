/**
 * Asks a person, who agrees with "yes" alone. A "y", which other programs take, is asked for once more: whoever meant it need not start
 * again, and nobody agrees by a slip.
 */
export async function agreed(ask: (question: string) => Promise<string>, question: string): Promise<boolean> {
  const first = (await ask(`${question} Only "yes" is accepted: `)).trim()
  if (first === 'yes' || !/^ye?s?$/i.test(first)) return first === 'yes'
  return (await ask(`${JSON.stringify(first)} is not accepted. To agree, write "yes": `)).trim() === 'yes'
}
