const PARENT = /(?:^|[\\/])\.\.(?:[\\/]|$)/
const ENCODED = /%(?:25)*(?:2e%(?:25)*2e|2f|5c)|\.%(?:25)*2e|%(?:25)*2e\./i

/** Whether a path leads by way of a parent folder. */
export const climbs = (path: string): boolean => PARENT.test(path)

/** Absolute, at home, by way of a parent, or a file's address: a text that can hardly be anything but a path. */
export function looksLikePath(text: string): boolean {
  const plain = text.trim().normalize('NFKC')
  if (/[\r\n]/.test(plain)) return false
  return (
    /^file:/i.test(plain) ||
    // A home folder: `~`, `~/x`, `~root`, `~+`. `~5` is a figure.
    /^~(?:[\\/+-]|[A-Za-z_][\w.-]*(?:[\\/]|$)|$)/.test(plain) ||
    /^[A-Za-z]:[\\/]/.test(plain) ||
    /^\\\\[^\\\s]/.test(plain) ||
    // `// note` and `/* note` open a comment.
    /^\/(?:\/*[^\s/*]|\/*$)/.test(plain) ||
    /^(?:\$\{?HOME\b|\$env:|%USERPROFILE%)/i.test(plain) ||
    // An address without a host, such as `sqlite:////var/x.db`, is a path with a scheme before it.
    /^[a-z][a-z0-9+.-]*:\/{3,}[^/]/i.test(plain) ||
    PARENT.test(plain) ||
    ENCODED.test(plain)
  )
}

/** An address of something else than a file; one that climbs by `..` would still be a path to a careless reader. */
export const isOtherAddress = (text: string): boolean =>
  /^\s*(?:[a-z][a-z0-9+.-]+:\/\/(?!\/)|data:[^,]{0,100},)/i.test(text) && !/^\s*file:/i.test(text) && !PARENT.test(text)

/** What a tool may split a list or a command line at. */
const PIECE = /[^\s,;|&<>()[\]{}"'`=@!:]+/g
/** No path of a shape worth looking at does without one of these; full-width ones fold into them. */
const PATH_LETTER = /[/\\~.%$\u0080-\uffff]/
const ADDRESS = /\b[a-z][a-z0-9+.-]{1,30}:\/\/(?!\/)[^\s"'<>`,;|]*/gi
const FILE_ADDRESS = /\bfile:[^\s"'<>`,;|)\]}]+/gi
const DRIVE_PATH = /(?<![A-Za-z0-9])[A-Za-z]:[\\/][^\s"'<>`,;|)]*/g
const CLOSING_TAG = /<\/[A-Za-z][\w:-]*\s*>/g
/** An option with its value glued to it: `-I/usr/include`, `--out~/x`. */
const GLUED = /^[-+][-\w]*(?=[/~\\])/

export type Pieces = {
  /** Those that look like paths by themselves. */
  readonly shaped: readonly string[]
  /** All others: each could be the name of a file. */
  readonly plain: readonly string[]
  /** There are more than anybody looks at. */
  readonly too_many: boolean
}

/** A list of files is not longer, and looking at more would hold everybody else up. */
const MOST_PIECES = 5_000

/** The parts a tool could read a text as, when it takes it for a list or a command line. Linear in the text, and bounded. */
export function piecesOf(text: string): Pieces {
  const shaped = new Set<string>()
  const plain = new Set<string>()
  const take = (piece: string) => {
    if (piece === '' || /^(?:[-.~\\]|-+|\/+)$/.test(piece)) return
    if (PATH_LETTER.test(piece) && looksLikePath(piece)) shaped.add(piece)
    else plain.add(piece)
  }
  const aside = (piece: string) => {
    shaped.add(piece)
    return ' '
  }
  const rest = text
    .replace(FILE_ADDRESS, aside)
    .replace(ADDRESS, ' ')
    .replace(CLOSING_TAG, ' ')
    // `a:/etc/x` is a drive to one reader and two entries of a search path to another.
    .replace(DRIVE_PATH, (path) => `${aside(path)}${path === text ? '' : path.slice(2)}`)
  for (const [piece] of rest.matchAll(PIECE)) {
    if (shaped.size + plain.size > MOST_PIECES) return { shaped: [...shaped], plain: [...plain], too_many: true }
    take(piece)
    const value = piece.replace(GLUED, '')
    if (value !== piece) take(value)
  }
  return { shaped: [...shaped], plain: [...plain], too_many: false }
}

/** Whether a text reads like sentences: mostly words of letters, several of them. */
export function isProse(text: string): boolean {
  const words = text
    .slice(0, 4096)
    .split(/\s+/)
    .filter((word) => word !== '')
  const plain = words.filter((word) => /^["'(]?\p{L}[\p{L}'’-]*[.,;:!?)"']{0,6}$/u.test(word))
  return plain.length >= 4 && plain.length * 2 >= words.length
}

/** Whether a text is base64 rather than a path: long, nothing but its letters, no empty and no dotted names. */
export const isBase64 = (text: string): boolean =>
  text.length >= 64 && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) && !text.includes('//')
