import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { following, startModelServer, type ModelServer } from '../../server/src/guests/agent/test/model-server.suite.ts'
import { CHROMIUM, SKIPPED } from './browser.ts'
import { complaints, openConsole, settled, stateOf, type Console } from './with-console.ts'

if (CHROMIUM === undefined) console.warn(SKIPPED)
const WHOLE = process.env['SLUICE_CONSOLE'] === 'whole'

const MARKUP = '<img src=x onerror="window.hit=1"><b>Approved</b>'
const BIDI = 'pay\u202Etxt.exe'

describe.skipIf(CHROMIUM === undefined || !WHOLE)('the chat in a browser', () => {
  let model: ModelServer
  let app: Console
  beforeAll(async () => {
    model = await startModelServer()
    app = await openConsole((config) => ({
      ...config,
      models: {
        agent: {
          provider: 'openai-compatible',
          url: `${model.url}/v1`,
          model: 'test',
          price: { input: 10_000, output: 0 },
        },
      },
    }))
  }, 120_000)
  afterAll(async () => {
    await app.close()
    await model.close()
  })

  const post = (text: string) => ({ tool: 'chat__post', args: { channel: '#ops-status', text } })
  const begin = async (page: Page, message: string): Promise<string> => {
    await page.goto(`${app.gate.url}/#/chat/new`)
    await page.fill('#message', message)
    await page.keyboard.press('Enter')
    await page.waitForURL(/#\/chat\/run_/)
    return /run_\w+/.exec(page.url())?.[0] ?? ''
  }
  const waiting = async (page: Page): Promise<string> => {
    const ids = page.locator('.chat-packet .ids')
    await ids.waitFor()
    return /auth_[0-9a-f]+/.exec((await ids.textContent()) ?? '')?.[0] ?? ''
  }

  test('a message is planned, its call is held, approved in the conversation, and answered', async () => {
    const { gate } = app
    model.say = following(
      ['Post a message to the channel'],
      [post('maintenance on Saturday')],
      'I told them about Saturday.',
    )
    const page = await app.open(gate.keys.mara)
    await begin(page, 'Tell the others about the maintenance')
    const id = await waiting(page)
    await page.locator('.plan', { hasText: 'Post a message to the channel' }).waitFor()
    expect(await page.locator('.side-calls').textContent()).toContain('chat__post')
    // The same packet as in the inbox, and the focus stays on the input field.
    expect(await page.locator('.chat-packet h2.sentence').textContent()).toContain('#ops-status')
    expect(await page.evaluate('document.activeElement?.className')).not.toContain('sentence')
    await page.locator('.step-node.waits').waitFor()
    await settled(page)
    await page.locator('.chat-packet .approve').click()
    await expect.poll(() => stateOf(gate, id)).toMatch(/^(?:approved|consumed)$/)
    await page.locator('.said.assistant .bubble', { hasText: 'I told them about Saturday.' }).waitFor()
    await page.locator('.chat-packet').waitFor({ state: 'detached' })
    expect(await page.locator('.side-calls > li').count()).toBe(1)
    // Three questions to the model, at 100 tokens each.
    await expect.poll(() => page.locator('.used').textContent()).toMatch(/Cost[1-9].*Tokens in300/)
    await page.context().close()
  })

  test('an answer is shown while it is written', async () => {
    model.say = () => ({ text: 'one two three four five six seven eight nine ten', pieces: 10, wait_ms: 400 })
    const page = await app.open(app.gate.keys.mara)
    await begin(page, 'hello')
    const draft = page.getByLabel('The agent is writing')
    await draft.waitFor()
    expect((await draft.textContent()) ?? '').not.toContain('ten')
    await page.getByLabel('Agent said').getByText('nine ten').waitFor()
    expect(await draft.count()).toBe(0)
    await page.context().close()
  })

  test('the gate is killed during a conversation: nothing is lost or duplicated, and the conversation continues', async () => {
    const { gate } = app
    model.say = following(['First', 'Second'], [post('first'), post('second')], 'Both are out.')
    const page = await app.open(gate.keys.mara)
    const run = await begin(page, 'Post twice')
    const first = await waiting(page)
    const start = await gate.kill()
    await page.locator('.chat-lost').waitFor()
    for (const button of await page.locator('.chat-packet .decide .btn').all())
      expect(await button.getAttribute('aria-disabled')).toBe('true')
    await start()
    await page.locator('.chat-lost').waitFor({ state: 'detached', timeout: 60_000 })
    await expect.poll(() => page.locator('.approve').getAttribute('aria-disabled')).toBeNull()
    await page.locator('.chat-packet .approve').click()
    await expect.poll(() => waiting(page), { timeout: 60_000 }).not.toBe(first)
    await settled(page)
    await page.locator('.chat-packet .approve').click()
    // The stored answer, not the draft.
    await page.getByLabel('Agent said').getByText('Both are out.').waitFor({ timeout: 60_000 })
    expect(await page.locator('.side-calls > li').count()).toBe(2)
    const shown = await page.locator('.messages .said').allTextContents()
    // A newly opened page shows the same as the page that stayed open.
    const fresh = await app.open(gate.keys.mara)
    await fresh.goto(`${gate.url}/#/chat/${run}`)
    await fresh.getByLabel('Agent said').getByText('Both are out.').waitFor()
    await fresh.locator('.side-calls > li').nth(1).waitFor()
    expect(await fresh.locator('.side-calls > li').count()).toBe(2)
    expect(await fresh.locator('.messages .said').allTextContents()).toEqual(shown)
    const walked = (of: Page) => of.locator('.chat-side .step-node').allTextContents()
    await expect.poll(() => walked(fresh)).toEqual(await walked(page))
    await Promise.all([page.context().close(), fresh.context().close()])
  }, 180_000)

  test('texts of a model and of a tool are shown as text', async () => {
    model.say = following(
      [`${MARKUP} ${BIDI}`],
      [{ tool: 'files__read_file', args: { path: `${MARKUP}${BIDI}` } }],
      `${MARKUP} ${BIDI} \u200B`,
    )
    const page = await app.open(app.gate.keys.mara)
    await begin(page, `${MARKUP} ${BIDI}`)
    await page.locator('.said.assistant .bubble', { hasText: 'txt.exe' }).waitFor()
    const folds = page.locator('.fold[aria-expanded=false]')
    while ((await folds.count()) > 0) await folds.first().click()
    expect(await page.evaluate('window.hit')).toBeUndefined()
    expect(await page.locator('main img, .bubble b, .plan b').count()).toBe(0)
    const text = String(await page.evaluate('document.body.innerText'))
    expect(text).toContain('⟨U+202E⟩')
    expect(text).not.toMatch(/[\u202A-\u202E\u200B]/u)
    await page.context().close()
  })

  test('a conversation is stopped while its call waits, and the call is withdrawn', async () => {
    const { gate } = app
    model.say = following(['Post'], [post('never')], 'Stopped.')
    const page = await app.open(gate.keys.mara)
    await begin(page, 'Post it')
    const id = await waiting(page)
    await page.getByRole('button', { name: 'Stop' }).click()
    await expect.poll(() => stateOf(gate, id)).toBe('withdrawn')
    await page.locator('.chat-packet').waitFor({ state: 'detached' })
    await page.context().close()
  })

  test('an approver can read the conversation of somebody else but cannot write in it', async () => {
    const { gate } = app
    model.say = () => ({ text: 'Only for Mara.' })
    const mara = await app.open(gate.keys.mara)
    const run = await begin(mara, 'hello')
    await mara.locator('.said.assistant .bubble').waitFor()
    const priya = await app.open(gate.keys.priya)
    await priya.goto(`${gate.url}/#/chat/${run}`)
    await priya.getByText('Only its owner can write in it.').waitFor()
    expect(await priya.locator('#message').count()).toBe(0)
    expect(await priya.getByLabel('mara said').count()).toBe(1)
    await Promise.all([mara.context().close(), priya.context().close()])
  })

  test('no script failed and the content security policy blocked nothing', () => {
    expect(complaints).toEqual([])
  })
})
