import { render, useInput } from 'ink'
import { createElement, type ReactElement } from 'react'
import { editorOf, openEditor, prettyJson } from '../../adapters/cli/edit-arguments.ts'
import { oneAtATime } from '../../adapters/cli/one-at-a-time.ts'
import { UNREACHED, type GateResponse } from '../../adapters/cli/client.ts'
import { jsonFault } from '../../adapters/cli/json-argument.ts'
import { fieldsOf, itemsOf, textOf, type PrintedFields } from '../../adapters/cli/print.ts'
import type { Cli } from '../../adapters/cli/cli.ts'
import { knownSize } from '../../adapters/cli/terminal-out.ts'
import { CHANGES, PENDING } from '../../adapters/cli/watch-approvals.ts'
import {
  askPassphrase,
  chosenIn,
  choosing,
  emptyInbox,
  idOf,
  pressed,
  refreshed,
  type Given,
  type Inbox,
  type Key,
  type InboxAction,
} from './inbox.ts'
import { unfoldedIn } from '../../adapters/cli/print-packet.ts'
import { inboxView, linesOnScreen, type Size } from './inbox-view.ts'
import { shortened, visibleText } from '../../kernel/contract/visible-text.ts'

export type Screen = { readonly stdin: NodeJS.ReadStream; readonly stdout: NodeJS.WriteStream }
export type InboxOptions = { readonly editor?: (text: string) => string | undefined }

const TICK_MS = 1000
const AWAY = 'the gate does not respond; this list may be out of date until it is back'
const NO_EDITOR = () =>
  `the editor \`${editorOf()}\` could not be started or reported an error; nothing was changed; set EDITOR to another one`
const UNREAD = 'only what was on the screen can be approved: press v, read to the end with ↓, then press the key again'
const NOT_SENT = 'the gate did not answer; the decision was not retried'

/** The editor that the person has chosen, if any. */
const ownEditor = (): InboxOptions =>
  (process.env['VISUAL'] ?? process.env['EDITOR']) === undefined ? {} : { editor: openEditor }

/** Runs the inbox until the person quits. Requests that are decided elsewhere disappear by themselves. */
export async function runInbox(
  cli: Pick<Cli, 'ask' | 'follow'>,
  screen: Screen,
  { editor }: InboxOptions = ownEditor(),
): Promise<void> {
  let inbox: Inbox = { ...emptyInbox, hasEditor: editor !== undefined }
  let isAway = false
  /** How many lines of a packet were on the screen, from the first one on without a gap. */
  const read = new Map<string, number>()
  const isRead = () => {
    const key = `${textOf(chosenIn(inbox)?.['digest'])} ${screen.stdout.columns}`
    const { from, to, all } = linesOnScreen(inbox, size())
    const before = read.get(key) ?? 0
    if (from <= before) read.set(key, Math.max(before, to))
    return (read.get(key) ?? 0) >= all
  }
  const onKey = (key: Key) => {
    const isApproving = inbox.typing === undefined && key.is === 'text' && /^[aw]$/i.test(key.text)
    if (chosenIn(inbox) !== undefined && !isRead() && isApproving) return say(UNREAD)
    const { inbox: next, action } = pressed(inbox, key)
    show(next)
    if (action?.do === 'quit') app.unmount()
    else if (action !== undefined) void carryOut(action)
  }
  const size = () => ({ columns: knownSize(screen.stdout.columns), rows: knownSize(screen.stdout.rows) })
  const draw = () => createElement(InboxScreen, { inbox, now: Date.now(), size: size(), onKey })
  // There is a terminal here, so draw even if the environment variable CI is set.
  const app = render(draw(), { ...screen, patchConsole: false, interactive: true })
  const show = (next: Inbox) => {
    inbox = next
    app.rerender(draw())
  }
  const say = (says: string) => show({ ...inbox, says })

  const look = oneAtATime(async () => {
    const reply = await cli.ask('GET', PENDING)
    if (reply.status !== 200) {
      // Said once, so that the answer to a key that is pressed meanwhile stays on the screen.
      if (!isAway) say(AWAY)
      isAway = true
      return
    }
    const { says, ...rest } = inbox
    const back = isAway ? { ...rest, says: 'the gate is back' } : { ...rest, ...(says === undefined ? {} : { says }) }
    isAway = false
    show(refreshed(back, itemsOf(reply.body)))
  })

  async function reveal(id: string): Promise<void> {
    const reply = await cli.ask('POST', `/v1/approvals/${encodeURIComponent(id)}/reveal`)
    const answer = fieldsOf(reply.body)
    if (reply.status >= 200 && reply.status < 400)
      return show({ ...inbox, revealed: answer, says: 'redacted text is shown; this was recorded in the audit' })
    say(reply.status <= UNREACHED ? AWAY : problemWords(answer))
  }

  /** The editor uses the screen until it is closed. */
  function openInEditor(args: string): string | undefined {
    app.clear()
    screen.stdin.setRawMode(false)
    // Waits synchronously for the editor, so that nothing is drawn meanwhile.
    const text = editor?.(prettyJson(args))
    screen.stdin.setRawMode(true)
    return text
  }

  async function edit(action: Extract<InboxAction, { do: 'open_editor' }>): Promise<void> {
    const text = openInEditor(action.args)
    if (text === undefined) return say(NO_EDITOR())
    if (text.trim() === prettyJson(action.args).trim()) return say('nothing was changed')
    const fault = jsonFault(text)
    if (fault === undefined) return carryOut({ ...action, do: 'edit', args: text })
    show({
      ...inbox,
      says: `not JSON at the cursor: ${fault.says}`,
      typing: { for: 'args', text: text.replaceAll('\n', ' '), at: fault.at },
    })
  }

  async function carryOut(action: Exclude<InboxAction, { do: 'quit' }>): Promise<void> {
    if (action.do === 'reveal') return reveal(action.id)
    if (action.do === 'open_editor') return edit(action)
    const reply = await cli.ask(
      'POST',
      `/v1/approvals/${encodeURIComponent(action.id)}/decide`,
      bodyOf(action, itemOf(action.id)),
    )
    const answer = fieldsOf(reply.body)
    const code = textOf(answer['code'] ?? '')
    if (action.do === 'approve' && code === 'approval.passphrase_needed')
      return show(askPassphrase(inbox, givenIn(action)))
    if (action.do === 'approve' && code === 'approval.passphrase_wrong')
      return show({ ...askPassphrase(inbox, givenIn(action)), says: 'that passphrase was wrong; type it again' })
    const isUnreached = reply.status <= UNREACHED
    if (!isUnreached) say(reply.status >= 400 ? problemWords(answer) : decidedWords(action, answer))
    await look()
    if (isUnreached) return say(NOT_SENT)
    // Select the request that replaced the edited one.
    if (action.do === 'edit' && reply.status < 400) show(choosing(inbox, idOf(answer)))
    if (action.do === 'approve' && answer['state'] === 'approved') await showOutcome(action.id, answer)
  }

  const itemOf = (id: string): PrintedFields => inbox.items.find((item) => idOf(item) === id) ?? {}

  async function showOutcome(id: string, answer: PrintedFields): Promise<void> {
    const call = encodeURIComponent(textOf(answer['call_id']))
    const reply = await cli.ask('GET', `/v1/calls/${call}?wait_ms=${OUTCOME_MS}`)
    say(`${id}: ${outcomeWords(reply)}`)
  }

  const stop = cli.follow(CHANGES, () => void look())
  const tick = setInterval(() => (isAway ? void look() : show(inbox)), TICK_MS)
  await look()
  await app.waitUntilExit()
  clearInterval(tick)
  stop()
}

const problemWords = ({ title, code, detail }: PrintedFields): string =>
  `${textOf(title)} [${textOf(code)}]${detail === undefined ? '' : `: ${textOf(detail)}`}`

const OUTCOME_MS = 30_000

function decidedWords(
  action: Exclude<InboxAction, { do: 'quit' | 'reveal' | 'open_editor' }>,
  answer: PrintedFields,
): string {
  if (action.do === 'edit') return `${action.id} was edited; the new request is ${idOf(answer)}`
  const { consent_id, expires_at } = fieldsOf(answer['consent'])
  const until = typeof expires_at === 'number' ? ` until ${new Date(expires_at).toISOString().slice(0, 16)}Z` : ''
  const permitted = consent_id === undefined ? '' : `; ${textOf(consent_id)} permits the same call${until}`
  return `${action.id} is ${textOf(answer['state'])}${permitted}`
}

const givenIn = ({ typed, remember }: Given): Given => ({
  ...(typed === undefined ? {} : { typed }),
  ...(remember === undefined ? {} : { remember }),
})

function bodyOf(action: Exclude<InboxAction, { do: 'quit' | 'reveal' | 'open_editor' }>, item: PrintedFields): unknown {
  switch (action.do) {
    case 'approve':
      return {
        decision: 'approve',
        digest: action.digest,
        ...givenIn(action),
        ...(textOf(item['digest']) === action.digest ? unfoldedIn(item) : {}),
        ...(action.passphrase === undefined ? {} : { passphrase: action.passphrase }),
      }
    case 'deny':
      return { decision: 'deny', ...(action.reason === '' ? {} : { reason: action.reason }) }
    case 'edit':
      // As typed: parsing and printing it again could change a number.
      return `{"decision":"edit","digest":${JSON.stringify(action.digest)},"args":${action.args}}`
    default:
      return action satisfies never
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
    else if (key.pageUp) onKey({ is: 'page_up' })
    else if (key.pageDown) onKey({ is: 'page_down' })
    else if (key.leftArrow) onKey({ is: 'left' })
    else if (key.rightArrow) onKey({ is: 'right' })
    else if (key.return) onKey({ is: 'enter' })
    else if (key.escape) onKey({ is: 'escape' })
    else if (key.backspace || key.delete) onKey({ is: 'erase' })
    else if (text !== '' && !key.ctrl && !key.meta) {
      // Pasted text can arrive together with the Enter key.
      const [line = '', ...more] = text.split(/[\r\n]/)
      if (line !== '') onKey({ is: 'text', text: line })
      if (more.length > 0) onKey({ is: 'enter' })
    }
  })
  return inboxView(inbox, now, size)
}

const LONGEST = 160

/** The outcome of an approved call, in one line. */
function outcomeWords({ status, body }: GateResponse): string {
  if (status <= UNREACHED) return 'approved; the gate did not report the outcome'
  const { status: word, outcome, result, title, code } = fieldsOf(body)
  const what = textOf(outcome ?? word ?? 'failed')
  if (what === 'executing' || what === 'pending') return 'approved; still running'
  const { content } = fieldsOf(result)
  const texts = (Array.isArray(content) ? content.map(fieldsOf) : []).flatMap(({ text }) =>
    typeof text === 'string' ? [text] : [],
  )
  const said = texts.length > 0 ? texts.join(' ') : code === undefined ? '' : `${textOf(title)} [${textOf(code)}]`
  return shortened(visibleText(said === '' ? what : `${what}: ${said}`), LONGEST)
}
