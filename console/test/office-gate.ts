import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { runGate, startGate, type RunningGate } from '../../server/test/helpers/with-running-gate.ts'
import { freePort } from '../../server/test/free-port.ts'

const OFFICE = resolve(import.meta.dirname, 'office.ts')
const server = (name: string, tools: object, more: object = {}) => ({
  command: 'node',
  args: [OFFICE, name],
  tools,
  ...more,
})

/** What an office has behind its gate: mail, money, files, a shell, a chat and a CRM. */
const CONFIG = {
  listen: { port: 0 },
  policy: {
    preset: 'careful',
    rules: [
      { id: 'mail.never-delete', effect: 'block', match: { tool: 'mail__delete' }, says: 'sent messages are kept' },
      {
        id: 'pay.much',
        effect: 'ask',
        strength: 'strong',
        match: { tool: 'bank__pay' },
        when: 'args.amount > 1000.0',
        says: 'much money moves',
      },
      { id: 'pay.some', effect: 'ask', match: { tool: 'bank__pay' }, says: 'money moves' },
      { id: 'mail.outside', effect: 'ask', match: { tool: 'mail__send' }, says: 'the mail leaves the house' },
      {
        id: 'prod.two',
        effect: 'ask',
        strength: 'two_person',
        match: { tool: 'shell__run' },
        says: 'production is touched',
      },
      { id: 'chat.asked', effect: 'ask', match: { tool: 'chat__post' }, says: 'other people read it' },
      { id: 'files.asked', effect: 'ask', match: { tool: 'files__write_file' }, says: 'it changes a file' },
      { id: 'crm.asked', effect: 'ask', match: { tool: 'crm__*' }, says: 'it changes the records of customers' },
    ],
  },
  servers: {
    mail: server('mail', {
      send: {
        effects: ['external'],
        dry_run: { args: { dry_run: true }, effect_free: true },
        verify: { tool: 'list', args: { folder: 'Sent' }, expect: [{ path: 'messages', exists: true }] },
      },
      read_message: { effects: ['read'] },
      list: { effects: ['read'] },
      delete: { effects: ['destructive'] },
    }),
    bank: server('bank', {
      pay: { effects: ['external'], rollback: { tool: 'cancel', args: { booking: '{{result.booking}}' } } },
      cancel: { effects: ['write'] },
      balance: { effects: ['read'] },
    }),
    files: server('files', {
      write_file: { effects: ['write'], rollback: { tool: 'delete_file', args: { path: '{{args.path}}' } } },
      read_file: { effects: ['read'] },
      delete_file: { effects: ['destructive'] },
    }),
    shell: server('shell', { run: { effects: ['privileged'] } }),
    chat: server('chat', { post: { effects: ['external'] } }),
    crm: server('crm', { update_deal: { effects: ['write'] }, get_supplier: { effects: ['read'] } }),
  },
} as const

export type OfficeGate = RunningGate & {
  stop(): Promise<void>
  /** Kills the gate; the returned function starts it again in the same folder. */
  kill(): Promise<() => Promise<void>>
  readonly keys: {
    readonly admin: string
    readonly mara: string
    readonly priya: string
    readonly agents: Readonly<Record<string, string>>
  }
  /** Calls a tool as an agent and returns the gate's answer. */
  readonly call: (
    agent: string,
    tool: string,
    args: object,
    thread?: string,
    user_words?: string,
  ) => Promise<Record<string, unknown>>
}

export const AGENTS = {
  'mail-assistant': 'mara',
  'ledger-bot': 'jonas',
  'report-writer': 'mara',
  'deploy-agent': 'priya',
  'status-agent': 'mara',
  'sales-helper': 'ines',
} as const

/** A gate with the office behind it, its people and its agents. */
export async function startOfficeGate(
  change: (config: typeof CONFIG) => object = (config) => config,
  given?: number,
): Promise<OfficeGate> {
  // One port for all starts, so that a page finds a gate that was restarted.
  const port = given ?? (await freePort())
  const config = { ...change(CONFIG), listen: { port } }
  let gate = await startGate((folder) => writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify(config, null, 2)))
  const { folder } = gate
  const admin = await gate.key('admin', 'root')
  const made = async (kind: string, name: string, user?: string): Promise<string> => {
    const { body } = await gate.http('POST', '/v1/keys', admin, { kind, name, ...(user === undefined ? {} : { user }) })
    return String(body['key'])
  }
  const agents: Record<string, string> = {}
  for (const [name, user] of Object.entries(AGENTS)) agents[name] = await made('agent', name, user)
  const keys = {
    admin,
    mara: await made('approver', 'mara', 'mara'),
    priya: await made('approver', 'priya', 'priya'),
    agents,
  }
  const call: OfficeGate['call'] = async (agent, tool, args, thread, user_words) => {
    const { body } = await gate.http('POST', '/v1/calls', agents[agent], {
      tool,
      args,
      ...(thread === undefined ? {} : { thread }),
      ...(user_words === undefined ? {} : { user_words }),
    })
    return body
  }
  return {
    ...gate,
    keys,
    call,
    stop: () => gate.stop(),
    async kill() {
      const gone = new Promise((done) => gate.process.once('exit', done))
      gate.process.kill('SIGKILL')
      await gone
      return async () => {
        gate = await runGate(folder)
      }
    },
  }
}

/** Creates the pending requests and past calls of an ordinary morning. */
export async function seed({ call }: OfficeGate): Promise<Record<string, string>> {
  const held: Record<string, string> = {}
  const hold = async (name: string, ...words: Parameters<OfficeGate['call']>) => {
    held[name] = String((await call(...words))['approval_id'])
  }
  // The statement is sent after a message was read that asks for a copy: the address came from outside.
  await call('mail-assistant', 'mail__read_message', { id: 'msg_4411' }, 'statements')
  await hold(
    'mail',
    'mail-assistant',
    'mail__send',
    {
      to: ['ana@example.com'],
      cc: ['ledger@ext.example'],
      subject: 'Q3 supplier statements',
      body: 'Hi Ana, attached are the supplier statements for July to September you asked for on Friday. Three suppliers changed their payment terms; I marked them on page two. The sheet has the account numbers we paid to this quarter, with the dates on which each of them was confirmed by phone.',
      attachments: ['suppliers-q3.pdf', 'bank-details.xlsx'],
    },
    'statements',
    'Send Ana (ana@example.com) the Q3 supplier statements, both files',
  )
  await hold('pay', 'ledger-bot', 'bank__pay', {
    amount: 4820,
    currency: 'EUR',
    recipient: 'Nordwind Logistik GmbH',
    iban: 'DE89370400440532013000',
    reference: 'Invoice 2291',
  })
  await hold('command', 'deploy-agent', 'shell__run', { host: 'db-prod', command: 'npm run migrate' })
  for (const name of ['north', 'south', 'east', 'west'])
    await hold(
      `file-${name}`,
      'report-writer',
      'files__write_file',
      { path: `reports/2026-11/${name}.md`, content: `# ${name}\n\nGrew 4.1 %.\n` },
      'monthly-reports',
    )
  await hold('post', 'status-agent', 'chat__post', {
    channel: '#ops-status',
    text: 'Maintenance on Saturday 21 November, 06:00 to 07:00 UTC',
  })
  await hold('deal', 'sales-helper', 'crm__update_deal', {
    deal: 'Harbour retrofit',
    stage: 'negotiation',
    value: 84000,
  })
  await call('mail-assistant', 'mail__list', { folder: 'Invoices' })
  await call('ledger-bot', 'bank__balance', {})
  await call('mail-assistant', 'mail__delete', { id: 'msg_3f0f0a6c2b1d' })
  await call('report-writer', 'files__read_file', { path: 'reports/2026-10/summary.md' })
  return held
}
