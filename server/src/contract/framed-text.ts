import { visibleText } from './visible-text.ts'

/** Where a text from outside is drawn: how wide a line may be, and after how many lines it is folded. */
export type Frame = { readonly width: number; readonly most: number; readonly more?: string }

export const FRAME = '│ '
const NOTE = '· '
const LONG_SPACES = / {24,}/g

/**
 * Text from outside as lines that cannot be taken for ours: each begins with a bar, also where a long one is broken, runs of
 * blank lines and spaces are counted instead of drawn, and what is too long is folded with a count. Lines of ours among them
 * begin with a dot.
 */
export function framedText(text: string, frame: Frame): string[] {
  const room = Math.max(20, frame.width - FRAME.length)
  const shown: string[] = []
  let characters = 0
  for (const line of linesIn(text)) {
    const pieces = typeof line === 'number' ? [`${NOTE}${count(line, 'blank line')}`] : brokenLine(line, room)
    if (shown.length + pieces.length > frame.most) {
      const left = pieces.slice(0, Math.max(0, frame.most - shown.length))
      shown.push(...left)
      const drawn = left.reduce((sum, piece) => sum + piece.length - FRAME.length, 0)
      const rest = text.length - characters - drawn
      return [...shown, `${NOTE}… ${count(Math.max(1, rest), 'more character')}${frame.more ?? ''}`]
    }
    shown.push(...pieces)
    characters += typeof line === 'number' ? line : line.length + 1
  }
  return shown
}

const brokenLine = (line: string, room: number): string[] => brokenText(line, room).map((piece) => `${FRAME}${piece}`)

/** One line of outside text, broken where the screen would break it. */
export function brokenText(line: string, room: number): string[] {
  const text = visibleText(line).replace(LONG_SPACES, (run) => `\\u0020{${run.length}}`)
  const pieces: string[] = []
  let piece = ''
  let taken = 0
  for (const char of text) {
    const columns = columnsOf(char)
    if (taken + columns > room) {
      pieces.push(piece)
      piece = ''
      taken = 0
    }
    piece += char
    taken += columns
  }
  return [...pieces, piece]
}

/** Never fewer than a terminal takes: whatever may be wide counts as two. */
const columnsOf = (char: string) => ((char.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2)

/** The lines of a text; a number stands for that many blank ones in a row. */
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

export const count = (figure: number, what: string): string =>
  `${figure.toLocaleString('en-US')} ${what}${figure === 1 ? '' : 's'}`
