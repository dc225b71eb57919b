/**
 * Whether a text looks random rather than like words: a password, a key, a digest. It looks at pairs of neighbours: in words,
 * most pairs of letters are common in English; in a random text few are, and letters and digits alternate. A text with spaces or a
 * short one is never random.
 */
export function looksRandom(text: string): boolean {
  if (text.length < SHORTEST || text.length > LONGEST || /\s/.test(text)) return false
  let strange = 0
  let pairs = 0
  let previous = kindOf(text, 0)
  for (let at = 1; at < text.length; at++) {
    const kind = kindOf(text, at)
    if (previous !== SEPARATOR && kind !== SEPARATOR) {
      pairs++
      strange += strangeness(text, at, previous, kind)
    }
    previous = kind
  }
  return strange >= LEAST_STRANGE && strange >= pairs * LEAST_SHARE
}

const SHORTEST = 10
const LONGEST = 4096
/** Found with the corpora under test/config/lint-corpus. */
const LEAST_STRANGE = 4.5
const LEAST_SHARE = 0.46

const LETTER = 0
const DIGIT = 1
const SIGN = 2
/** Between words; its neighbours do not count. */
const SEPARATOR = 3

function kindOf(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  if ((unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90)) return LETTER
  if (unit >= 48 && unit <= 57) return DIGIT
  return SEPARATORS.has(unit) ? SEPARATOR : SIGN
}

const SEPARATORS: ReadonlySet<number> = new Set([...'-_./:,@='].map(sign => sign.charCodeAt(0)))

function strangeness(text: string, at: number, before: number, kind: number): number {
  // Dates, numbers and versions also have several digits in a row.
  if (before === DIGIT && kind === DIGIT) return 0.4
  if (before !== LETTER || kind !== LETTER) return 1
  const pair = text.slice(at - 1, at + 1)
  const isRise = isLower(pair.charCodeAt(0)) && !isLower(pair.charCodeAt(1))
  // A word may begin with any letter: `myKey`.
  return COMMON.has(pair.toLowerCase()) ? (isRise ? 0.4 : 0) : isRise ? 0.8 : 1
}

const isLower = (unit: number): boolean => unit >= 97

/** Pairs of letters that make up four fifths of English text, and those of technical names. */
const COMMON: ReadonlySet<string> = new Set(
  (
    'th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne ' +
    'ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs un lo wa ' +
    'ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am fi ci vi pl ig tu ev ld ry mp ' +
    'fe bl ab gh ty op wo sa ay ex ke fr oo av ag if ap gr od bo sp rd do uc bu ei ov by rm ep tt oc fa ef cu rn sc gi da ' +
    'yo cr cl du ga qu ue ff ba ey ls va um pp ua up lu go ht ru ug ds lt pi rc rr eg au ck ew mu br bi pt ak pu ui rg ib ' +
    'tl ny ki rk ys ob mm fu ph og ms ye ud mb ip ub oi rl gu dr hr cc tw ft wn nu af hu nn eo vo rv nf xp gn sm fl iz ok'
  ).split(' '),
)
