import { countedSpaces, visibleText } from './visible-text.ts'

/** How a text from outside is drawn: the width of a line, and after how many lines it is folded. */
export type TextFrame = {
  readonly width: number
  readonly most: number
  /** How to see the rest. */
  readonly more?: string
  /** The prefix of each of its lines, and of each of our lines among them. */
  readonly bar?: string
  readonly note?: string
}

export const BAR = '│ '
export const NOTE = '· '
/** The prefix of a continued line of ours: a name in it must not start a line. */
export const CONTINUED = '    ↳ '
const NARROWEST = 20

/**
 * Text from outside as lines that cannot be mistaken for ours: each begins with a bar, even if a long one is broken, runs of
 * blank lines and spaces are counted instead of drawn, and what is too long is folded with a count. Our lines among them begin
 * with a dot.
 */
export function framedText(text: string, { width, most, more = '', bar = BAR, note = NOTE }: TextFrame): string[] {
  const shown: string[] = []
  let characters = 0
  for (const line of linesIn(text)) {
    const pieces =
      typeof line === 'number' ? [count(line, 'blank line')] : brokenText(countedSpaces(line), width - bar.length)
    const room = most - shown.length
    if (pieces.length > room) {
      const left = pieces.slice(0, Math.max(0, room))
      const rest = text.length - characters - left.join('').length
      return [
        ...shown,
        ...left.map((piece) => bar + piece),
        `${note}… ${count(Math.max(1, rest), 'more character')}${more}`,
      ]
    }
    shown.push(...pieces.map((piece) => (typeof line === 'number' ? note : bar) + piece))
    characters += typeof line === 'number' ? line : line.length + 1
  }
  return shown
}

/** How far back a long line may be broken to keep a word whole. */
const LONGEST_WORD = 30

/** One line of text, broken where the screen would break it or at the space before, with everything in it visible. */
export function brokenText(line: string, width: number): string[] {
  const room = Math.max(NARROWEST, width)
  const pieces: string[] = []
  let piece = ''
  let taken = 0
  for (const char of visibleText(line)) {
    const columns = columnsOf(char)
    if (taken + columns > room) {
      const space = piece.lastIndexOf(' ') + 1
      const end = space > piece.length - LONGEST_WORD && space > 0 ? space : piece.length
      pieces.push(piece.slice(0, end))
      piece = piece.slice(end)
      taken = 0
      for (const kept of piece) taken += columnsOf(kept)
    }
    piece += char
    taken += columns
  }
  return [...pieces, piece]
}

/** Never less than a terminal uses: any possibly wide character counts as two. */
const columnsOf = (char: string) => ((char.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2)

/** The lines of a text; a number is that many consecutive blank lines. */
function linesIn(text: string): (string | number)[] {
  const lines: (string | number)[] = []
  let blank = 0
  const settle = () => {
    if (blank === 1) lines.push('')
    if (blank > 1) lines.push(blank)
    blank = 0
  }
  for (const line of text.split(/\r\n|\n/)) {
    if (line.trim() === '') {
      blank += 1
      continue
    }
    settle()
    lines.push(line)
  }
  settle()
  return lines
}

export const count = (figure: number, what: string): string => `${grouped(figure)} ${what}${figure === 1 ? '' : 's'}`

/** `12,345`. Not by `toLocaleString`, because its tables take 5 MB of memory, and a gate uses this at its start. */
export const grouped = (figure: number): string =>
  figure < 1_000 ? String(figure) : `${grouped(Math.floor(figure / 1_000))},${String(figure % 1_000).padStart(3, '0')}`
