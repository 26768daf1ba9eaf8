/** Letters that are drawn like Latin ones, by the Latin letter they imitate. Only what fonts really draw alike. */
const IMITATIONS: Readonly<Record<string, string>> = {
  a: 'аɑαａ⍺',
  b: 'Ьᖯ',
  c: 'сϲᴄⅽ',
  d: 'ԁⅾ',
  e: 'еҽℯ',
  f: 'ƒſ',
  g: 'ɡց',
  h: 'һհ',
  i: 'іɩιⅰ',
  j: 'јϳ',
  k: 'кκ',
  l: 'ӏⅼǀ1|Iا',
  m: 'мⅿ',
  n: 'ոпη',
  o: 'оοօ०੦0ᴏ',
  p: 'рρ',
  q: 'ԛգ',
  r: 'гᴦ',
  s: 'ѕꜱ',
  t: 'тτ',
  u: 'υսᴜ',
  v: 'νѵᴠⅴ',
  w: 'ѡԝᴡш',
  x: 'хχⅹ',
  y: 'уγү',
  z: 'ᴢ',
  A: 'АΑ',
  B: 'ВΒ',
  C: 'СϹ',
  E: 'ЕΕ',
  H: 'НΗ',
  J: 'ЈͿ',
  K: 'КΚ',
  M: 'МΜ',
  N: 'Ν',
  O: 'ОΟ',
  P: 'РΡ',
  S: 'Ѕ',
  T: 'ТΤ',
  X: 'ХΧ',
  Y: 'УΥҮ',
  Z: 'Ζ',
  _: '＿‗',
  '-': '‐‑‒–—−﹣－',
}

const LATIN: ReadonlyMap<string, string> = new Map(
  Object.entries(IMITATIONS).flatMap(([latin, others]) => Array.from(others, (other) => [other, latin] as const)),
)
/** Zero-width and direction characters, soft hyphens: invisible, so they distinguish nothing. */
const INVISIBLE = /[\p{Cf}\p{Mn}\p{Me}]/gu
const MAX_LENGTH = 512

function skeleton(name: string): string {
  const plain = name.slice(0, MAX_LENGTH).normalize('NFKD').replaceAll(INVISIBLE, '')
  return Array.from(plain, (letter) => LATIN.get(letter) ?? letter)
    .join('')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
}

/**
 * Whether two different names can be taken for each other on a screen: letters of other alphabets, invisible characters, `rn` for
 * `m`, `1` for `l`, or only another case. Equal names do not "look like" each other: they are the same.
 */
export function looksLike(a: string, b: string): boolean {
  if (a === b) return false
  const [left, right] = [skeleton(a), skeleton(b)]
  return (
    left === right ||
    left.toLowerCase() === right.toLowerCase() ||
    skeleton(a.toLowerCase()) === skeleton(b.toLowerCase())
  )
}
