import { mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { following, startModelServer } from '../server/src/guests/agent/test/model-server.suite.ts'
import { bundleOf, ON, setFlowPolicy } from '../server/src/guests/flows/test/flow-samples.suite.ts'
import { CHROMIUM, SKIPPED } from '../console/test/browser.ts'
import { COURIER } from '../console/test/courier.ts'
import { askAsNode } from '../console/test/node-request.ts'
import { openConsole } from '../console/test/with-console.ts'
import { seed } from '../console/test/office-gate.ts'

/** Pictures of every page from a seeded office: light, dark, and on a phone. */
const FOLDER = resolve(import.meta.dirname, '../docs/pictures')
const SIZES = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
  { name: 'phone', colorScheme: 'light', viewport: { width: 360, height: 760 } },
] as const

if (CHROMIUM === undefined) {
  console.log(SKIPPED)
  process.exit(0)
}
if (process.argv.length === 2) rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(FOLDER, { recursive: true })
const model = await startModelServer()
const app = await openConsole((config) => ({
  ...config,
  models: {
    agent: {
      provider: 'openai-compatible',
      url: `${model.url}/v1`,
      model: 'test',
      price: { input: 100, output: 300 },
    },
  },
}))
const { gate } = app
const ids = await seed(gate)
const flow = await gate.http('POST', '/v1/toolflow?wait_ms=3000', gate.keys.agents['mail-assistant'], {
  user_prompt: 'Tell Ana that the statements are ready',
  query: 'send an e-mail',
})
const run = typeof flow.body['run_id'] === 'string' ? flow.body['run_id'] : ''
// A conversation that waits for a person.
model.say = following(
  ['List the messages of the folder Invoices', 'Post a message to the channel #ops-status', 'Say what was done'],
  [
    { tool: 'mail__list', args: { folder: 'Invoices' } },
    { tool: 'chat__post', args: { channel: '#ops-status', text: 'Maintenance on Saturday, 06:00 to 07:00 UTC' } },
  ],
)
const chat = await gate.http('POST', '/agent/run?wait_ms=8000', gate.keys.admin, {
  message: 'Look at my invoices, then tell #ops-status that there is maintenance on Saturday from 6 to 7 UTC',
})
const thread = typeof chat.body['run_id'] === 'string' ? chat.body['run_id'] : ''
// A document of two versions, with a run that waits.
for (const text of ['Mail has come in', 'New invoices have come in'])
  await gate.http('POST', '/v1/workflows', gate.keys.admin, { document: COURIER(text) })
await gate.http('POST', '/v1/workflows/courier/runs', gate.keys.admin, { input: {} })
await askAsNode(gate, 'berlin-1', ids['post'] ?? '')
await gate.key('node', 'lisbon-2')
const calls = await gate.http('GET', '/v1/calls?limit=20', gate.keys.admin)
const [first] = (calls.body['items'] ?? []) as { call_id?: string }[]

// A procedure with a run whose first step is done.
setFlowPolicy(join(gate.folder, '.sluice'), ON)
const procedure = bundleOf('flow_month_end', [
  { job: 'Export the ledger' },
  { job: 'Book currency differences' },
  { job: 'Have the accruals reviewed', kind: 'human_review', required: true },
  { job: 'Pay the approved invoices', automatable: 'agent_assisted' },
  { job: 'Lock the period' },
])
await gate.http('POST', '/api/v1/flows/import', gate.keys.admin, {
  ...procedure,
  flow: { ...(procedure['flow'] as object), title: 'Month-end close', summary: 'Close the books of one month.' },
})
const started = await gate.http('POST', '/api/v1/flows/runs', gate.keys.admin, { flow_id: 'flow_month_end' })
const { run_id: flow_run = '' } = (started.body['run'] ?? {}) as { run_id?: string }
await gate.http('POST', `/api/v1/flows/runs/${flow_run}/advance`, gate.keys.admin, {
  step_id: 'flow_month_end#1',
  status: 'done',
})

type Shot = { readonly name: string; readonly path: string; readonly act?: (page: Page) => Promise<void> }
const shots: readonly Shot[] = [
  { name: 'inbox', path: `approvals/${ids['mail']}` },
  { name: 'inbox-strong', path: `approvals/${ids['pay']}` },
  { name: 'inbox-two-people', path: `approvals/${ids['command']}` },
  { name: 'inbox-batch', path: `batch/${ids['file-north']}` },
  {
    name: 'inbox-edit',
    path: `approvals/${ids['mail']}`,
    act: async (page) => {
      await page.locator('.decide .btn', { hasText: 'Edit' }).click()
      await page.fill('#edit-cc', '')
      await page.waitForTimeout(1_200)
    },
  },
  {
    name: 'inbox-remember',
    path: `approvals/${ids['post']}`,
    act: async (page) => {
      await page.locator('.decide .btn', { hasText: 'Remember' }).click()
      await page.selectOption('#often', '5')
      await page.selectOption('#span', '28800')
      await page.waitForTimeout(600)
    },
  },
  {
    name: 'inbox-source',
    path: `approvals/${ids['mail']}`,
    act: async (page) => {
      await page.keyboard.press('s')
      await page.waitForTimeout(300)
    },
  },
  { name: 'chat', path: `chat/${thread}` },
  { name: 'chat-new', path: 'chat/new' },
  { name: 'activity', path: 'activity' },
  { name: 'call', path: `activity/${first?.call_id ?? ''}` },
  { name: 'overview', path: 'overview' },
  { name: 'runs', path: 'runs' },
  { name: 'run', path: `runs/${run}` },
  { name: 'workflows', path: 'workflows' },
  { name: 'workflow', path: 'workflows/courier' },
  { name: 'flows', path: 'flows' },
  { name: 'flow-run', path: `flows/${flow_run}` },
  { name: 'nodes', path: 'nodes' },
  { name: 'tools', path: 'tools?tool=mail__send' },
  { name: 'policy', path: 'policy' },
  {
    name: 'policy-draft',
    path: 'policy',
    act: async (page) => {
      await page.getByRole('button', { name: 'Draft' }).click()
      await page.fill('#draft', (await page.inputValue('#draft')).replace('effect: block', 'effect: allow'))
      await page.waitForTimeout(1_500)
    },
  },
  { name: 'consents', path: 'consents' },
  {
    name: 'audit',
    path: 'audit',
    act: async (page) => {
      await page.getByRole('button', { name: 'Check every hash' }).click()
      await page.waitForTimeout(600)
    },
  },
  { name: 'settings', path: 'settings' },
]

// A consent, so that its page has something to show.
await gate.approve(ids['deal'], gate.keys.mara, { remember: { calls: 10, expires_in_s: 86_400 } })
const wanted = process.argv.slice(2)
for (const { name: size, ...options } of SIZES) {
  const page = await app.open(gate.keys.admin, { ...options, reducedMotion: 'reduce' })
  for (const { name, path, act } of shots) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    await page.goto('about:blank')
    await page.goto(`${gate.url}/#/${path}`)
    await page.waitForSelector('.shell')
    await page.waitForTimeout(900)
    await act?.(page)
    await page.screenshot({ path: join(FOLDER, `${name}-${size}.png`) })
  }
  if (size === 'phone') {
    await page.goto(`${gate.url}/#/`)
    await page.waitForTimeout(600)
    await page.screenshot({ path: join(FOLDER, 'inbox-list-phone.png') })
    await page.goto(`${gate.url}/#/more`)
    await page.waitForTimeout(600)
    await page.screenshot({ path: join(FOLDER, 'more-phone.png') })
  }
  await page.context().close()
}
await app.close()
await model.close()
