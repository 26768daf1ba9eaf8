import { describe, expect, test } from 'vitest'
import {
  askPassphrase,
  chosenIn,
  emptyInbox,
  pressed,
  refreshed,
  type Inbox,
  type Key,
  type InboxAction,
} from './inbox.ts'

const item = (id: string, digest = `shown ${id}`) => ({
  approval_id: id,
  digest,
  strength: 'simple',
  proposed_args: '{"to":"ana"}',
})
const three: Inbox = { ...emptyInbox, items: ['auth_1', 'auth_2', 'auth_3'].map((id) => item(id)) }

/** Presses keys: a word of one letter is that letter, `:text` is typed, everything else is a key's name. */
function press(inbox: Inbox, ...words: readonly string[]): { inbox: Inbox; actions: InboxAction[] } {
  const actions: InboxAction[] = []
  let now = inbox
  for (const word of words) {
    const isText = word.length === 1 || word.startsWith(':')
    const key = isText ? { is: 'text', text: word.replace(/^:/, '') } : { is: word }
    const stepped = pressed(now, key as Key)
    now = stepped.inbox
    if (stepped.action !== undefined) actions.push(stepped.action)
  }
  return { inbox: now, actions }
}

describe('the inbox', () => {
  test.each([
    [['a'], { do: 'approve', id: 'auth_1', digest: 'shown auth_1' }],
    [['down', 'a'], { do: 'approve', id: 'auth_2', digest: 'shown auth_2' }],
    [['j', 'j', 'j', 'j', 'a'], { do: 'approve', id: 'auth_3', digest: 'shown auth_3' }],
    [['down', 'up', 'up', 'A'], { do: 'approve', id: 'auth_1', digest: 'shown auth_1' }],
    [['r'], { do: 'reveal', id: 'auth_1' }],
    [['d', ':not now', 'enter'], { do: 'deny', id: 'auth_1', reason: 'not now' }],
    [
      ['e', 'left', 'left', 'erase', ':e', 'enter'],
      { do: 'edit', id: 'auth_1', digest: 'shown auth_1', args: '{"to":"ane"}' },
    ],
    [
      ['w', 'enter'],
      { do: 'approve', id: 'auth_1', digest: 'shown auth_1', remember: { calls: 10, expires_in_s: 3600 } },
    ],
    [['page_down', 'a'], { do: 'approve', id: 'auth_3', digest: 'shown auth_3' }],
    [['q'], { do: 'quit' }],
  ])('%j means %j', (keys, action) => expect(press(three, ...keys).actions).toEqual([action]))

  test('a strong request is approved by typing what it is about, also with bounds and a passphrase', () => {
    const strong = { ...three, items: [{ ...item('auth_1'), strength: 'strong', skill_id: 'mail__send' }] }
    const asked = press(strong, 'a')
    expect([asked.actions, asked.inbox.typing?.for]).toEqual([[], 'typed'])
    expect(press(asked.inbox, 'enter').actions).toEqual([])
    const approve = { do: 'approve', id: 'auth_1', digest: 'shown auth_1', typed: 'ana' } as const
    expect(press(asked.inbox, ':ana', 'enter').actions).toEqual([approve])
    const remember = { calls: 10, expires_in_s: 3600 }
    expect(press(strong, 'w', 'enter', ':ana', 'enter').actions).toEqual([{ ...approve, remember }])
    const again = askPassphrase(strong, { typed: 'ana', remember })
    expect(press(again, ':right', 'enter').actions).toEqual([{ ...approve, remember, passphrase: 'right' }])
  })

  test('what was typed for a request that changed meanwhile is not sent', () => {
    const strong = { ...item('auth_1'), strength: 'strong', skill_id: 'mail__send' }
    for (const keys of [['a', ':ana'], ['w'], ['e']]) {
      const { inbox } = press({ ...three, items: [strong] }, ...keys)
      const { actions, inbox: after } = press(refreshed(inbox, [{ ...strong, digest: 'another' }]), 'enter')
      expect([actions, after.typing]).toEqual([[], undefined])
      expect(after.says).toContain('changed')
    }
  })

  test('while something is typed, letters are text and decide nothing', () =>
    expect(press(three, 'd', 'a', 'q', 'd', 'escape').actions).toEqual([]))

  test('arguments that are not JSON stay on the line and nothing is sent', () => {
    const { inbox, actions } = press(three, 'e', 'erase', 'enter')
    expect(actions).toEqual([])
    expect(inbox.typing?.text).toBe('{"to":"ana"')
    expect(inbox.says).toContain('it ends too early')
    const twisted = press(three, 'e', 'left', 'erase', ':,', 'enter')
    expect(twisted.inbox.typing).toMatchObject({ text: '{"to":"ana,}', at: 12 })
  })

  test('what was said about one request is gone after Esc, and at the next request', () => {
    const said = press(three, 'e', 'erase', 'enter').inbox
    expect(said.says).toContain('not JSON')
    expect(press(said, 'escape').inbox.says).toBeUndefined()
    expect(press({ ...three, says: 'auth_1 is denied' }, 'down').inbox.says).toBeUndefined()
  })

  test('bounds that cannot be parsed stay on the line, and `e` opens the editor if there is one', () => {
    const { inbox, actions } = press(three, 'w', 'erase', ':forever', 'enter')
    expect([actions, inbox.says, inbox.typing?.for]).toEqual([[], "write it like '10 calls for 2h'", 'bounds'])
    expect(press({ ...three, hasEditor: true }, 'e').actions).toEqual([
      { do: 'open_editor', id: 'auth_1', digest: 'shown auth_1', args: '{"to":"ana"}' },
    ])
  })

  test('in an empty inbox no key does anything', () =>
    expect(press(emptyInbox, 'a', 'd', 'e', 'down', 'enter').actions).toEqual([]))

  test('the selected request stays selected when requests before it appear or disappear', () => {
    const { inbox } = press(three, 'down')
    expect(press(refreshed(inbox, [item('auth_0'), item('auth_2')]), 'a').actions).toMatchObject([
      { do: 'approve', id: 'auth_2' },
    ])
  })

  test('a key pressed after the selected request disappeared decides nothing', () => {
    const left = refreshed(three, [item('auth_2'), item('auth_3')])
    expect(press(left, 'a', 'd', 'e').actions).toEqual([])
    expect(press(left, 'down', 'a').actions).toMatchObject([{ do: 'approve', id: 'auth_2' }])
  })

  test('a request that changed while it was shown is read again before a key decides it', () => {
    const changed = refreshed(three, [item('auth_1', 'another'), item('auth_2')])
    const { inbox, actions } = press(changed, 'a')
    expect(actions).toEqual([])
    expect(inbox.says).toContain('changed')
    expect(press(inbox, 'a').actions).toEqual([{ do: 'approve', id: 'auth_1', digest: 'another' }])
  })

  test('revealed text is shown only for that version of that request', () => {
    const revealed = { approval_id: 'auth_1', digest: 'shown auth_1', proposed_args: '{"to":"eve"}' }
    const seen: Inbox = { ...three, revealed }
    expect(chosenIn(seen)).toMatchObject({ proposed_args: '{"to":"eve"}' })
    expect(chosenIn(press(seen, 'down', 'up').inbox)).toMatchObject({ proposed_args: '{"to":"ana"}' })
    expect(chosenIn(refreshed(seen, [item('auth_1', 'another')]))).toMatchObject({ proposed_args: '{"to":"ana"}' })
  })

  test('while a whole request is shown, the arrow keys scroll it', () => {
    const { inbox } = press(three, 'v', 'down', 'down', 'up')
    expect(inbox).toMatchObject({ whole: 5, selected: 0 })
    expect(press(inbox, 'v', 'down', 'a').actions).toMatchObject([{ id: 'auth_2' }])
  })

  test('what was typed for a request is never sent for the next one', () => {
    const { inbox } = press(three, 'd', ':because')
    expect(press(refreshed(inbox, [item('auth_2')]), 'enter').actions).toEqual([])
  })
})
