import { render, useInput } from 'ink'
import { createElement, type ReactElement } from 'react'
import { oneLook } from '../one-look.ts'
import { NOBODY } from '../client.ts'
import { fieldsOf, itemsOf, textOf } from '../print.ts'
import type { Session } from '../session.ts'
import { CHANGES, PENDING } from '../watch-approvals.ts'
import { askPassphrase, emptyInbox, pressed, refreshed, type Inbox, type Key, type Wish } from './inbox.ts'
import { inboxView, type Size } from './inbox-view.ts'

export type Screen = { readonly stdin: NodeJS.ReadStream; readonly stdout: NodeJS.WriteStream }

const TICK_MS = 1000
/** Answers to an approval that a passphrase is the remedy for. */
const ASKS_AGAIN: readonly string[] = ['approval.passphrase_needed', 'approval.passphrase_wrong']

/** The inbox on a terminal, until the person quits. Whatever is decided elsewhere disappears from it by itself. */
export async function runInbox(session: Pick<Session, 'ask' | 'follow'>, screen: Screen): Promise<void> {
  let inbox: Inbox = emptyInbox
  const onKey = (key: Key) => {
    const { inbox: next, wish } = pressed(inbox, key)
    show(next)
    if (wish?.do === 'quit') app.unmount()
    else if (wish !== undefined) void carryOut(wish)
  }
  const size = () => ({ columns: screen.stdout.columns, rows: screen.stdout.rows })
  const draw = () => createElement(InboxScreen, { inbox, now: Date.now(), size: size(), onKey })
  // Whoever calls this has a terminal; a machine that calls itself CI is no reason to draw nothing.
  const app = render(draw(), { ...screen, patchConsole: false, interactive: true })
  const show = (next: Inbox) => {
    inbox = next
    app.rerender(draw())
  }

  const look = oneLook(async () => {
    const reply = await session.ask('GET', PENDING)
    show(
      reply.status === 200
        ? refreshed(inbox, itemsOf(reply.body))
        : { ...inbox, says: 'the gate does not answer; what is shown may be old' },
    )
  })

  async function reveal(id: string): Promise<void> {
    const reply = await session.ask('POST', `/v1/approvals/${encodeURIComponent(id)}/reveal`)
    const answer = fieldsOf(reply.body)
    if (reply.status < 400)
      return show({ ...inbox, revealed: answer, says: 'shown whole; it is recorded that you looked' })
    show({ ...inbox, says: `${textOf(answer['title'])} [${textOf(answer['code'])}]` })
  }

  async function carryOut(wish: Exclude<Wish, { do: 'quit' }>): Promise<void> {
    if (wish.do === 'reveal') return reveal(wish.id)
    const reply = await session.ask('POST', `/v1/approvals/${encodeURIComponent(wish.id)}/decide`, bodyOf(wish))
    const answer = fieldsOf(reply.body)
    const code = textOf(answer['code'])
    if (wish.do === 'approve' && ASKS_AGAIN.includes(code)) return show(askPassphrase(inbox))
    const decided = `${wish.id} is ${textOf(answer['state'])}`
    const unanswered = 'the gate did not answer; the decision was not sent again'
    const refused = `${textOf(answer['title'])} [${code}]`
    show({ ...inbox, says: reply.status <= NOBODY ? unanswered : reply.status < 400 ? decided : refused })
    await look()
  }

  const stop = session.follow(CHANGES, () => void look())
  const tick = setInterval(() => show(inbox), TICK_MS)
  await look()
  await app.waitUntilExit()
  clearInterval(tick)
  stop()
}

function bodyOf(wish: Exclude<Wish, { do: 'quit' | 'reveal' }>): unknown {
  switch (wish.do) {
    case 'approve':
      return {
        decision: 'approve',
        digest: wish.digest,
        ...(wish.passphrase === undefined ? {} : { passphrase: wish.passphrase }),
      }
    case 'deny':
      return { decision: 'deny', ...(wish.reason === '' ? {} : { reason: wish.reason }) }
    case 'edit':
      // As typed: reading and writing it again could change a number.
      return `{"decision":"edit","digest":${JSON.stringify(wish.digest)},"args":${wish.args}}`
    default:
      return wish satisfies never
  }
}

type ScreenProps = {
  readonly inbox: Inbox
  readonly now: number
  readonly size: Size
  readonly onKey: (key: Key) => void
}

function InboxScreen({ inbox, now, size, onKey }: ScreenProps): ReactElement {
  useInput((text, key) => {
    if (key.upArrow) onKey({ is: 'up' })
    else if (key.downArrow) onKey({ is: 'down' })
    else if (key.leftArrow) onKey({ is: 'left' })
    else if (key.rightArrow) onKey({ is: 'right' })
    else if (key.return) onKey({ is: 'enter' })
    else if (key.escape) onKey({ is: 'escape' })
    else if (key.backspace || key.delete) onKey({ is: 'erase' })
    else if (text !== '' && !key.ctrl && !key.meta) onKey({ is: 'text', text })
  })
  return inboxView(inbox, now, size)
}
