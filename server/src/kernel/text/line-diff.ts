import type { DiffLine } from '../approvals/packet-parts.ts'
import { numberedText } from '../contract/visible-text.ts'

const MOST_LINES = 400
const CONTEXT = 3
/** Comparing line by line costs the product of both lengths. */
const MOST_COMPARED = 1_500

export type LineDiff = {
  readonly lines: readonly DiffLine[]
  readonly added: number
  readonly removed: number
  readonly cut: boolean
}

/** Compares two texts line by line: unchanged, added and removed lines. Long unchanged stretches are left out. */
export function lineDiff(before: string, after: string): LineDiff {
  const [old, now] = [linesOf(before), linesOf(after)]
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1
  let tail = 0
  const room = Math.min(old.length, now.length) - head
  while (tail < room && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1
  const middle = compared(old.slice(head, old.length - tail), now.slice(head, now.length - tail))
  const same = (lines: readonly string[]): DiffLine[] => lines.map((line) => ({ is: 'same', text: line }))
  const all = [...same(old.slice(0, head)), ...middle, ...same(old.slice(old.length - tail))]
  return shownDiff(all)
}

/** The lines of a diff made by somebody else: bounded, with every character visible. */
export function shownDiff(all: readonly DiffLine[]): LineDiff {
  const folded = folds(all)
  const lines = folded.slice(0, MOST_LINES).map(({ is, text }) => ({ is, text: numberedText(text) }))
  return {
    lines,
    added: all.filter(({ is }) => is === 'added').length,
    removed: all.filter(({ is }) => is === 'removed').length,
    cut: folded.length > lines.length,
  }
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

/** By longest common subsequence, if affordable; otherwise all old lines are removed and all new ones added. */
function compared(old: readonly string[], now: readonly string[]): DiffLine[] {
  const whole = [...old.map(removed), ...now.map(added)]
  if (old.length === 0 || now.length === 0 || old.length > MOST_COMPARED || now.length > MOST_COMPARED) return whole
  const width = now.length + 1
  const common = new Uint16Array((old.length + 1) * width)
  const at = (row: number, column: number) => common[row * width + column] ?? 0
  for (let row = old.length - 1; row >= 0; row -= 1)
    for (let column = now.length - 1; column >= 0; column -= 1)
      common[row * width + column] =
        old[row] === now[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
  const lines: DiffLine[] = []
  let [row, column] = [0, 0]
  while (row < old.length && column < now.length) {
    if (old[row] === now[column]) {
      lines.push({ is: 'same', text: old[row] ?? '' })
      row += 1
      column += 1
    } else if (at(row + 1, column) >= at(row, column + 1)) lines.push(removed(old[row++] ?? ''))
    else lines.push(added(now[column++] ?? ''))
  }
  return [...lines, ...old.slice(row).map(removed), ...now.slice(column).map(added)]
}

const removed = (text: string): DiffLine => ({ is: 'removed', text })
const added = (text: string): DiffLine => ({ is: 'added', text })

/** Unchanged lines are shown only near a changed one. */
function folds(all: readonly DiffLine[]): DiffLine[] {
  const isNear = new Uint8Array(all.length)
  for (const [index, { is }] of all.entries())
    if (is === 'added' || is === 'removed')
      isNear.fill(1, Math.max(0, index - CONTEXT), Math.min(all.length, index + CONTEXT + 1))
  const shown: DiffLine[] = []
  let skipped = 0
  const settle = () => {
    if (skipped > 0) shown.push({ is: 'skipped', text: `${skipped} unchanged lines` })
    skipped = 0
  }
  for (const [index, line] of all.entries()) {
    if (isNear[index] === 1 || line.is === 'skipped') {
      settle()
      shown.push(line)
    } else skipped += 1
  }
  settle()
  return shown
}
