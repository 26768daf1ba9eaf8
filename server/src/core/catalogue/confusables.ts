/**
 * Letters that people take for one another, as groups with the plain letter first. Look-alikes of Latin from Cyrillic, Greek,
 * Armenian, Cherokee and others, after Unicode's table of confusables (UTS 39), in lower case; NFKC has already folded
 * full-width, mathematical and superscript letters. `i`, `l` and `1` are one group: as `I` they cannot be told apart.
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

/** Letters of their own group that read as `i`, not as the `l` that stands for the group. */
const READ_AS_I = new Set(Array.from('іιıɩ'))

/** The ASCII letter that a letter of another alphabet is taken for, in the same case; undefined when it looks like none. */
export function asciiLookAlike(letter: string): string | undefined {
  const lower = letter.toLowerCase()
  const plain = READ_AS_I.has(lower) ? 'i' : PLAIN.get(lower)
  if (plain === undefined) return undefined
  return lower === letter ? plain : plain.toUpperCase()
}

/** What a text looks like at a glance. Two texts with the same skeleton are told apart only by reading letter by letter. */
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
