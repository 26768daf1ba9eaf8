/**
 * Letters that people confuse, as groups with the plain letter first. Look-alikes of Latin letters from Cyrillic, Greek,
 * Armenian, Cherokee and others, based on Unicode's table of confusables (UTS 39), in lower case; NFKC has already folded
 * full-width, mathematical and superscript letters. `i`, `l` and `1` are one group, because `I` can look like any of them.
 */
const GROUPS = [
  'aаɑα⍺ᴀ',
  'bЬьƄвʙᖯ',
  'cсϲᴄⅽ',
  'dԁɗꓒ',
  'eеҽ℮ꬲєεᴇ',
  'fẝꬵϝғꞙ',
  'gɡցɢԍᶃ',
  'hһհнʜ',
  'liіɩӏ1|ι!ıⅼǀ׀ןᛁꓲʟⵏ',
  'jјϳյ',
  'kκкᴋⲕĸ',
  'mмᴍɱ',
  'nոռпηɴ',
  'oоοօ0ഠ௦০૦ᴏⲟ〇σө',
  'pрρⲣ⍴ᴘ',
  'qԛգզ',
  'rгᴦꭇⲅʀ',
  'sѕꜱʂ',
  'tтτᴛ',
  'uυսʋꭎᴜµ',
  'vνѵᴠט',
  'wԝѡաɯᴡ',
  'xхχ×ⅹ᙭',
  'yуγүყʏ',
  'zᴢʐ',
] as const

const PLAIN = new Map(GROUPS.flatMap((group) => Array.from(group, (letter) => [letter, group[0] ?? ''] as const)))

/** Letters of that group that read as `i`, not as `l`, which represents the group. */
const READ_AS_I = new Set(Array.from('іιıɩ'))

/** The ASCII letter that a letter of another alphabet looks like, in the same case; undefined if there is none. */
export function asciiLookAlike(letter: string): string | undefined {
  const lower = letter.toLowerCase()
  const plain = READ_AS_I.has(lower) ? 'i' : PLAIN.get(lower)
  if (plain === undefined) return undefined
  return lower === letter ? plain : plain.toUpperCase()
}

/** What a text looks like at a glance. Two texts with the same skeleton can be distinguished only letter by letter. */
export function skeleton(text: string): string {
  const bare = text
    .normalize('NFKD')
    .replace(/\p{M}|\p{Cf}/gu, '')
    .toLowerCase()
  const plain = Array.from(bare, (letter) => PLAIN.get(letter) ?? letter).join('')
  return plain
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
