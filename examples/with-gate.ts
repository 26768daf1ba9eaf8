/**
 * A gate with an outbox, for one example: started in its own folder, stopped at the end. Keys are created as an operator would.
 * `person` approves requests through a separate connection that no agent sees.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
// In your own project: from 'sluice/client'.
import { createClient } from '../server/src/client/client.ts'

const root = resolve(import.meta.dirname, '..')
/** `sluice` of this checkout, or of the installation that `EXAMPLE_LAUNCHER` names. */
export const launcher = process.env['EXAMPLE_LAUNCHER'] ?? join(root, 'bin/sluice')

export type Story = {
  readonly url: string
  readonly folder: string
  /** A key for this kind of caller. */
  key(kind: string, name: string): string
  /** `sluice …` in the gate's folder. */
  cli(...words: readonly string[]): string
  /** Prints the next request and approves it. Resolves when that is done. */
  approveNext(): Promise<void>
  sent(): readonly string[]
}

export type StoryOptions = {
  /** Further lines of the configuration, after the servers. */
  readonly config?: string
  /** The whole configuration, instead of the default one. */
  readonly file?: string
  readonly prepare?: (folder: string) => void
}

export async function withGate(
  run: (story: Story) => Promise<void>,
  { config = '', file, prepare }: StoryOptions = {},
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-example-'))
  writeFileSync(
    join(folder, 'sluice.yaml'),
    file ??
      `
listen: { port: 0 }

policy:
  rules:
    - { id: no-deleting, effect: block, match: { tool: outbox__delete_message }, says: messages are kept }
servers:
  outbox:
    command: node
    args: [${JSON.stringify(join(root, 'server/src/guests/demo/servers/outbox.ts'))}, ./outbox]
    tools:
      list_messages: { effects: [read] }
      send_message: { effects: [external] }
      delete_message: { effects: [destructive] }
${config}`,
  )
  prepare?.(folder)
  const gate = spawn(process.execPath, [launcher, 'up', '--trust'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  try {
    const [greeting] = (await once(createInterface({ input: gate.stdout }), 'line')) as [string]
    const url = /http:\S+?(?=,)/.exec(greeting)?.[0] ?? ''
    const cli = (...words: readonly string[]) =>
      execFileSync(process.execPath, [launcher, ...words], { cwd: folder, encoding: 'utf8' })
    const key = (kind: string, name: string) => cli('keys', 'create', kind, name).trim()
    const ana = key('approver', 'ana')
    await run({
      url,
      folder,
      key,
      cli,
      approveNext: () => approveNext(url, ana),
      sent: () => {
        const file = join(folder, 'outbox/outbox.jsonl')
        return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
      },
    })
  } finally {
    gate.kill()
    await once(gate, 'exit')
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A person who is notified of each new request. */
async function approveNext(url: string, key: string): Promise<void> {
  const gate = createClient({ url, key })
  for await (const { data } of gate.changes({ kinds: ['approval'] })) {
    if (data['state'] !== 'pending') continue
    const path = { approval_id: String(data['approval_id']) }
    const packet = await gate.ask('GET /v1/approvals/{approval_id}', { path })
    console.log(`ana reads: ${packet.skill_id} ${packet.proposed_args}, and approves`)
    // An approval names the version of the packet that was shown and, if it is more than simple, what the request is about.
    const { confirm } = packet.sentence
    const typed = packet.strength === 'simple' || confirm === undefined ? {} : { typed: confirm.words.join(', ') }
    await gate.ask('POST /v1/approvals/{approval_id}/decide', {
      path,
      // Whoever prints a request whole says which of its long texts it printed.
      body: { decision: 'approve', digest: packet.digest, unfolded: packet.foldable.map(({ id }) => id), ...typed },
    })
    return
  }
}
