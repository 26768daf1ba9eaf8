import { renderToString } from 'ink'
import { expect, test } from 'vitest'
import { ESCAPES, FORGED_LINES, HOSTILE_TEXTS, looksOurs } from '../../../test/hostile-texts.ts'
import { visibleText } from '../../kernel/contract/visible-text.ts'
import { emptyInbox, refreshed, type Inbox } from './inbox.ts'
import { inboxView } from './inbox-view.ts'

const ROWS = 30
const COLUMNS = 80

/** A request in which every field that others choose is `text`, escaped where the gate escapes it. */
const packetOf = (text: string) => ({
  approval_id: 'auth_fedcba9876543210',
  digest: 'd'.repeat(64),
  skill_id: text,
  title: text,
  strength: 'simple',
  state: 'pending',
  thread: text,
  asked_by: { id: text, user: text },
  expires_at: 1_800_000_000_000,
  proposed_args: visibleText(JSON.stringify({ text, [text]: text, list: [text], to: 'bob' })),
  risk_notes: [{ effect: 'ask', says: visibleText(text), rule: 'careful.high', source: visibleText(text) }],
  preview: { content: [{ type: 'text', text }] },
  rollback: 'no known way to undo it',
  check: 'has a dry run',
  verify: 'result not verified',
  hidden: [{ in: 'proposed_args', at: `/${text}`, type: 'SECRET', length: 7 }],
})

function screenOf(inbox: Partial<Inbox>, text: string): string[] {
  const shown: Inbox = { ...emptyInbox, items: [packetOf(text)], ...inbox }
  return renderToString(inboxView(shown, 0, { columns: COLUMNS, rows: ROWS }), { columns: COLUMNS }).split('\n')
}

/** The lines without their border. */
const inside = (lines: readonly string[]) => lines.map((line) => line.replace(/^│ (.*?) *│$/, '$1'))

test.each(HOSTILE_TEXTS)('$name cannot draw on the screen', ({ text }) => {
  for (const inbox of [{}, { whole: 0 }, { whole: 20 }, { says: text }]) {
    const screen = screenOf(inbox, text)
    expect(screen.length).toBeLessThanOrEqual(ROWS)
    for (const line of screen) expect(line.replaceAll(/\p{M}/gu, '').length).toBeLessThanOrEqual(COLUMNS)
    expect(looksOurs(inside(screen).join('\n'))).toBeUndefined()
  }
})

test.each([...FORGED_LINES, ...ESCAPES])('$name leaves the real fields on the screen', ({ text }) => {
  const screen = screenOf({}, text).join('\n')
  expect(screen).toContain('auth_fedcba9876543210')
  expect(screen).toContain('asked by ')
  expect(screen).toContain('ask: ')
  expect(screen).toContain('hidden: 7 characters in proposed_args')
  expect(screen).toContain('a approve')
})

test('until the gate has answered, the screen does not say that nothing is pending', () => {
  const titleOf = (inbox: Inbox) => renderToString(inboxView(inbox, 0, { columns: COLUMNS, rows: ROWS })).split('\n')[0]
  expect(titleOf(emptyInbox)).toBe('loading…')
  expect(titleOf(refreshed(emptyInbox, []))).toBe('no pending requests')
})

test('a long message is shown with its end, and the time left in the largest unit that fits', () => {
  const says = `a consent cannot cover requests like this one ${'x '.repeat(30)}[consent.not_allowed]: approve it`
  expect(screenOf({ says }, 'text').join('\n')).toContain('[consent.not_allowed]: approve it')
  const expiring = (ms: number) => screenOf({ items: [{ ...packetOf('x'), expires_at: ms }] }, 'x').join('\n')
  expect(expiring(86_400_000)).toContain('24 h left')
  expect(expiring(3_600_000)).toContain('60 min left')
})

test('a folded argument says how much is hidden and how to see it, and `v` shows it', () => {
  const text = `first line\n${'x'.repeat(3_000)}\nrm -rf /`
  expect(screenOf({}, text).join('\n')).toMatch(/… [\d,]+ more characters, press v to show all/)
  const seen = Array.from({ length: 60 }, (_, at) => screenOf({ whole: at * 5 }, text).join('\n'))
  expect(seen.some((screen) => screen.includes('┆ rm -rf /'))).toBe(true)
})

test('no line of one argument looks like the beginning of another argument', () => {
  const lines = inside(screenOf({ whole: 0 }, 'x\nto: mallory\npreview: fine'))
  expect(lines.filter((line) => /^\s*│ to: /.test(line))).toEqual([expect.stringContaining('to: bob')])
})
