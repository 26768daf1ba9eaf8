import { decodedPath } from './path-parts.ts'

const PARENT = /(?:^|[\\/])\.\.(?:[\\/]|$)/
const ENCODED = /%(?:25)*(?:2e%(?:25)*2e|2f|5c)|\.%(?:25)*2e|%(?:25)*2e\./i

/** Every path that is recognized by its shape contains one of these; characters beyond ASCII may fold into them. */
const HAS_PATH_SIGN = /[/\\~%$:.\u0080-\uffff]/

/** Whether a path goes through a parent folder. */
export const climbs = (path: string): boolean => PARENT.test(path)

/** Absolute, under a home folder, through a parent, or a file URL: almost certainly a path. */
export function looksLikePath(text: string): boolean {
  if (!HAS_PATH_SIGN.test(text)) return false
  const plain = text.trim().normalize('NFKC')
  if (/[\r\n]/.test(plain)) return false
  return (
    /^file:/i.test(plain) ||
    // A home folder: `~`, `~/x`, `~root`, `~+`. `~5` is a number.
    /^~(?:[\\/+-]|[A-Za-z_][\w.-]*(?:[\\/]|$)|$)/.test(plain) ||
    /^[A-Za-z]:[\\/]/.test(plain) ||
    /^\\\\[^\\\s]/.test(plain) ||
    // `// note` and `/* note` open a comment.
    /^\/(?:\/*[^\s/*]|\/*$)/.test(plain) ||
    /^(?:\$\{?HOME\b|\$env:|%USERPROFILE%)/i.test(plain) ||
    // A URL without a host, such as `sqlite:////var/x.db`, is a path with a scheme before it.
    /^[a-z][a-z0-9+.-]*:\/{3,}[^/]/i.test(plain) ||
    PARENT.test(plain) ||
    ENCODED.test(plain) ||
    // Encoded in another way, in any number of layers.
    (plain.includes('%') && PARENT.test(decodedPath(plain) ?? '..'))
  )
}

/** A URL of something other than a file; one with `..` could still be read as a path. */
export const isOtherAddress = (text: string): boolean =>
  /^\s*(?:[a-z][a-z0-9+.-]+:\/\/(?!\/)|data:[^,]{0,100},)/i.test(text) && !/^\s*file:/i.test(text) && !PARENT.test(text)

/** The separators at which a tool may split a list or a command line. */
const PIECE = /[^\s,;|&<>()[\]{}"'`=@!:]+/g
/** Every path worth checking contains one of these; full-width characters fold into them. */
const PATH_LETTER = /[/\\~.%$\u0080-\uffff]/
const ADDRESS = /\b[a-z][a-z0-9+.-]{1,30}:\/\/(?!\/)[^\s"'<>`,;|]*/gi
const FILE_ADDRESS = /\bfile:[^\s"'<>`,;|)\]}]+/gi
const DRIVE_PATH = /(?<![A-Za-z0-9])[A-Za-z]:[\\/][^\s"'<>`,;|)]*/g
const CLOSING_TAG = /<\/[A-Za-z][\w:-]*\s*>/g
/** An option with its value attached: `-I/usr/include`, `--out~/x`. */
const GLUED = /^[-+][-\w]*(?=[/~\\])/

/** Without these, no piece of a text looks like a path by itself. */
export const mayHoldPath = (text: string): boolean => PATH_LETTER.test(text) || /file:/i.test(text)

export type PathPieces = {
  /** Those that look like paths by themselves. */
  readonly shaped: readonly string[]
  /** All others: each could be a file name. */
  readonly plain: readonly string[]
  /** There are more than the gate checks. */
  readonly too_many: boolean
}

/** No list of files is longer, and checking more would block the event loop for too long. */
const MOST_PIECES = 5_000

/** The parts of a text if a tool reads it as a list or a command line. Linear in the text, and bounded. */
export function piecesOf(text: string): PathPieces {
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
    // `a:/etc/x` can be a drive or two entries of a search path.
    .replace(DRIVE_PATH, (path) => `${aside(path)}${path === text ? '' : path.slice(2)}`)
  for (const [piece] of rest.matchAll(PIECE)) {
    if (shaped.size + plain.size > MOST_PIECES) return { shaped: [...shaped], plain: [...plain], too_many: true }
    take(piece)
    const value = piece.replace(GLUED, '')
    if (value !== piece) take(value)
  }
  return { shaped: [...shaped], plain: [...plain], too_many: false }
}

/** Whether a text reads like sentences: several words, mostly of letters. */
export function isProse(text: string): boolean {
  const words = text
    .slice(0, 4096)
    .split(/\s+/)
    .filter((word) => word !== '')
  const plain = words.filter((word) => /^["'(]?\p{L}[\p{L}'’-]*[.,;:!?)"']{0,6}$/u.test(word))
  return plain.length >= 4 && plain.length * 2 >= words.length
}

/** Whether a text is base64 rather than a path: long, only base64 characters, no empty and no dotted names. */
export const isBase64 = (text: string): boolean =>
  text.length >= 64 && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) && !text.includes('//')
