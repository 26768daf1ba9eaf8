import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readChecklist } from '../../src/guests/flows/read-flow-runs.ts'
import { startFlowRun } from '../../src/guests/flows/start-flow-run.ts'
import { importFlow } from '../../src/guests/flows/import-flow.ts'
import { runToolflow } from '../../src/guests/toolflow/run-toolflow.ts'
import type { Change, Ledger } from '../../src/kernel/ports/ledger.ts'
import type { Caller } from '../../src/kernel/contract/caller.ts'
import { ok } from '../../src/kernel/contract/problems.ts'
import { ToolflowBody } from '../../src/guests/toolflow/toolflow.ts'
import { httpApp } from '../../src/adapters/http/app.ts'
import type { App } from '../../src/adapters/http/door.ts'
import { allEndpoints } from '../../src/adapters/http/all-endpoints.ts'
import { GUESTS } from '../../src/main/guests.ts'
import { claimKey } from '../../src/kernel/identity/claim-key.ts'
import { enterSession } from '../../src/kernel/sessions/enter-session.ts'
import { GRANTS } from '../../../scripts/app-without-gate.ts'
import { bundleOf, FLOW_CONFIG, PACK, prepareFlows } from '../../src/guests/flows/test/flow-samples.suite.ts'
import {
  ADMIN,
  openTestGate,
  pendingOf,
  settingsIn,
  until,
  USER,
  type GateRig,
  typedFor,
} from '../helpers/with-gate.ts'
import { shownIn, valueOf } from '../../src/guests/toolflow/test/with-flows.suite.ts'
import { softwarePasskey } from './software-passkey.ts'

const POLICY = `
rules:
  - { id: change, effect: allow, match: { tool: [mail__become, book__note_again] }, says: harmless }
`
const RIGHT = 'correct horse battery'
const SITE = { origin: 'http://localhost', host: 'localhost' }

let rig: GateRig
let app: App
/** How often a policy was written. */
let written = 0
const folder = mkdtempSync(join(tmpdir(), 'sluice-proofs-'))
const people = new Map<string, Caller>()

beforeAll(async () => {
  prepareFlows(folder, join(folder, 'data'))
  const { book } = settingsIn(folder).config.servers
  const mail = {
    command: process.execPath,
    args: [resolve(import.meta.dirname, '../tool-servers/changing.ts')],
    tools: { become: { effects: ['read'] } },
  }
  rig = await openTestGate(folder, {
    policy: POLICY,
    config: { ...FLOW_CONFIG, servers: { book, mail }, approvals: { strong: 'passphrase' } },
    around: { ledger: losingOutcomes },
    policyStore: {
      text: () => POLICY,
      replace() {
        written += 1
        return ok({ undo: () => {} })
      },
    },
  })
  app = httpApp({
    endpoints: await allEndpoints(GUESTS, rig.ports, rig.ports),
    version: '1',
    claimKey: (caller, key) => claimKey(rig.ports, caller, key),
    noteRefusal: (refusal) => rig.gate.audit.noteRefusal(refusal),
    enter: (reader, texts) => enterSession(rig.ports, reader, texts),
    login: {},
    streams: { stopping: new AbortController().signal },
    authenticate: (raw) => {
      const person = people.get(raw.header('x-who') ?? '')
      if (person === undefined) throw new Error('nobody')
      return ok(person)
    },
    newTrace: () => 'f'.repeat(32),
    hosts: [],
    onIncident: (error) => {
      throw error
    },
  })
})
afterAll(async () => {
  await rig.opened.close()
  rmSync(folder, { recursive: true, force: true })
})

/** As after a crash whose retry could not be made: the outcome of an idempotent call stays unknown. */
function losingOutcomes<L extends Ledger>(ledger: L): L {
  const lost = (change: Change): Change => {
    if (change.kind !== 'swap' || change.table !== 'calls') return change
    const { to } = change
    const isLost = to.tool_id === 'book__note_again' && to.state === 'executed' && to.attempt === 1
    return isLost ? { ...change, to: { ...to, state: 'unknown' } } : change
  }
  return { ...ledger, commit: (changes: readonly Change[]) => ledger.commit(changes.map(lost)) }
}

type Answer = { readonly status: number; readonly code: string; readonly body: Record<string, unknown> }

async function send(who: string, name: string, body: object): Promise<Answer> {
  const [method = '', path = ''] = name.split(' ')
  const headers = { 'content-type': 'application/json', host: 'localhost', 'x-who': who }
  const request = new Request(`http://localhost${path}`, { method, headers, body: JSON.stringify(body) })
  const answer = await app.fetch(request, { local: true, remote: '127.0.0.1' })
  const read = (await answer.json()) as Record<string, unknown> & { readonly code?: string }
  return { status: answer.status, code: read.code ?? String(answer.status), body: read }
}

let count = 0
/** An admin, who may do everything that some person may. */
function somebody(): string {
  const name = `p${(count += 1)}`
  people.set(name, { kind: 'admin', id: `admin:${name}`, user: name, flow_role: 'editor' })
  return name
}
async function withPassphrase(passphrase = RIGHT): Promise<string> {
  const name = somebody()
  expect(await send(name, 'POST /v1/passphrase', { passphrase })).toMatchObject({ status: 200 })
  return name
}
async function withPasskey() {
  const name = somebody()
  const passkey = softwarePasskey(SITE)
  const { body } = await send(name, 'POST /v1/passkeys/options', {})
  const response = passkey.register(String(body['challenge']))
  expect(await send(name, 'POST /v1/passkeys', { name: 'phone', response })).toMatchObject({ status: 200 })
  return { name, passkey }
}

/** A request that would give permission, and whether it has. */
type Grant = {
  readonly request: string
  readonly body: object
  readonly isGiven: () => Promise<boolean>
  /** Where the challenge for a passkey comes from, if not from `/v1/passkeys/grant`. */
  readonly challenge?: { readonly at: string; readonly body: object }
  /** To do it again changes nothing. */
  readonly isRepeatable?: true
}

async function held(tool: string) {
  const args = { text: `text ${(count += 1)}` }
  return pendingOf(await rig.call(tool, args))
}
const GIVEN: Readonly<Record<string, (by: string) => Promise<Grant>>> = {
  'POST /v1/approvals/{approval_id}/decide': async (by) => {
    const { approval_id } = await held('book__slow_note')
    const person = callerOf(by)
    const packet = valueOf(await rig.gate.approvals.read(person, approval_id))
    const { digest } = packet
    return {
      request: `POST /v1/approvals/${approval_id}/decide`,
      body: { decision: 'approve', digest, typed: typedFor(packet) },
      isGiven: async () => valueOf(await rig.gate.approvals.read(person, approval_id)).state !== 'pending',
      challenge: { at: `POST /v1/approvals/${approval_id}/passkey`, body: { digest } },
    }
  },
  'POST /v1/toolflow/{run_id}/resume': async (by) => {
    const wanted = { user_prompt: 'x', skill_id: 'book__slow_note', args: { text: `flow ${(count += 1)}` } }
    const view = valueOf(await runToolflow(rig.ports, USER, ToolflowBody.parse(wanted), { wait_ms: 60_000 }))
    const { approval_id, digest } = shownIn(view)
    const typed = typedFor(valueOf(await rig.gate.approvals.read(callerOf(by), approval_id)))
    return {
      request: `POST /v1/toolflow/${view.run_id}/resume`,
      body: { approval_id, digest, typed, choice: 'Approve & Execute' },
      isGiven: async () => valueOf(await rig.gate.approvals.read(callerOf(by), approval_id)).state !== 'pending',
      challenge: { at: `POST /v1/approvals/${approval_id}/passkey`, body: { digest } },
    }
  },
  'POST /v1/policies/put': async (by) => {
    const { version } = valueOf(rig.gate.policies.text(callerOf(by)))
    const draft = { text: `${POLICY}# ${(count += 1)}`, version }
    const before = written
    return {
      request: 'POST /v1/policies/put',
      body: draft,
      isGiven: async () => written > before,
      challenge: { at: 'POST /v1/policies/passkey', body: draft },
    }
  },
  'POST /v1/consents': async () => {
    const what = { tool: 'book__slow_note', args: [{ path: '/text', op: 'equals', value: `c${(count += 1)}` }] }
    return {
      request: 'POST /v1/consents',
      body: { actor: `caller:agent:c${count}`, what, calls: 2, expires_in_s: 600 },
      isGiven: async () => {
        const { items } = await rig.gate.consents.list(ADMIN, { limit: 200 })
        return items.some(({ what: { args } }) => JSON.stringify(args) === JSON.stringify(what.args))
      },
    }
  },
  'POST /v1/delegations': async (by) => {
    const to = `stand-in-${(count += 1)}`
    return {
      request: 'POST /v1/delegations',
      body: { to, for_s: 600 },
      isGiven: async () => valueOf(await rig.gate.approvals.delegations(callerOf(by))).some((one) => one.to === to),
    }
  },
  'POST /v1/calls/{call_id}/resume': async () => {
    const lost = await rig.call('book__note_again', { text: `again ${(count += 1)}` })
    const call_id = 'call_id' in lost ? (lost.call_id ?? '') : ''
    return {
      request: `POST /v1/calls/${call_id}/resume`,
      body: { as: 'retry' },
      isGiven: async () =>
        (await rig.gate.audit.page(undefined, 1, 10_000)).some(
          ({ type, subject }) => type === 'call.settled' && subject['call'] === call_id,
        ),
    }
  },
  'POST /api/v1/flows/runs/{run_id}/consents': async (by) => {
    const run_id = await flowRun(by)
    const body = { allowed_lanes: ['local_default'], cost_cap_units: 3 }
    return { request: `POST /api/v1/flows/runs/${run_id}/consents`, body, isGiven: () => hasFlowConsent(by, run_id) }
  },
  'POST /api/v1/flows/flow_run': async (by) => {
    const run_id = await flowRun(by)
    const body = { action: 'consent_mint', run_id, allowed_lanes: ['local_default'], cost_cap_units: 3 }
    return { request: 'POST /api/v1/flows/flow_run', body, isGiven: () => hasFlowConsent(by, run_id) }
  },
  'POST /v1/keys': async () => {
    const name = `new-${(count += 1)}`
    return {
      request: 'POST /v1/keys',
      body: { kind: 'approver', name },
      isGiven: async () =>
        valueOf(await rig.gate.identity.listCredentials(ADMIN)).some(({ caller }) => caller.user === name),
    }
  },
  'POST /v1/pauses': async () => {
    const scope = `caller:agent:paused-${(count += 1)}` as const
    valueOf(await rig.gate.pauses.set(ADMIN, { scope, effect: 'block', active: true, reason: '' }))
    return {
      request: 'POST /v1/pauses',
      body: { scope, active: false },
      isGiven: async () => !(await rig.gate.pauses.list()).some((pause) => pause.scope === scope),
    }
  },
  'POST /v1/tools/{tool_id}/admit': async () => {
    const description = `version ${(count += 1)}`
    const tools = [
      { name: 'become', description: 'as listed first' },
      { name: 'send', description },
    ]
    await rig.call('mail__become', { tools })
    const sent = () => rig.gate.catalogue.tools(ADMIN).find(({ row }) => row.tool_id === 'mail__send')?.row
    await until(() => sent()?.definition.description === description)
    const definition_hash = sent()?.definition_hash ?? ''
    return {
      request: 'POST /v1/tools/mail__send/admit',
      body: { definition_hash },
      isGiven: async () => sent()?.admitted?.hash === definition_hash,
      isRepeatable: true,
    }
  },
  'DELETE /v1/passphrases/{user}': async () => {
    const other = await withPassphrase()
    return {
      request: `DELETE /v1/passphrases/${other}`,
      body: {},
      isGiven: async () => !(await rig.gate.identity.describeLogin(callerOf(other))).proofs.passphrase,
    }
  },
  'DELETE /v1/passkeys/{passkey_id}': async () => {
    const { name, passkey } = await withPasskey()
    return {
      request: `DELETE /v1/passkeys/${passkey.id}`,
      body: {},
      isGiven: async () => (await rig.gate.identity.passkeys.list(callerOf(name))).length === 0,
    }
  },
}

function callerOf(name: string): Caller {
  const person = people.get(name)
  if (person === undefined) throw new Error(name)
  return person
}
async function flowRun(by: string): Promise<string> {
  const flow_id = `flow_p${(count += 1)}`
  const bundle = bundleOf(flow_id, [{ automatable: 'automatable', skills: [PACK], job: 'look' }])
  valueOf(await importFlow(rig.ports, ADMIN, bundle))
  return valueOf(await startFlowRun(rig.ports, callerOf(by), { flow_id })).run.run_id
}
const hasFlowConsent = async (by: string, run_id: string) =>
  valueOf(await readChecklist(rig.ports, callerOf(by), { run_id })).consents.length > 0

test('every route that is declared to give permission is in this table, and no other one', () => {
  expect(Object.keys(GIVEN).toSorted()).toEqual([...GRANTS].toSorted())
})

describe.each(Object.entries(GIVEN))('%s', (_name, prepare) => {
  test('is refused without the passphrase, with a wrong one and with that of another person, and done with the right one', async () => {
    const by = await withPassphrase()
    const other = 'the passphrase of another person'
    await withPassphrase(other)
    const { request, body, isGiven } = await prepare(by)
    for (const [proof, code] of [
      [{}, 'approval.passphrase_needed'],
      [{ passphrase: 'wrong from the start' }, 'approval.passphrase_wrong'],
      [{ passphrase: other }, 'approval.passphrase_wrong'],
    ] as const) {
      expect(await send(by, request, { ...body, ...proof })).toMatchObject({ status: 403, code })
      expect(await isGiven()).toBe(false)
    }
    expect((await send(by, request, { ...body, passphrase: RIGHT })).code).toMatch(/^20/)
    await until(isGiven)
  })

  test('is refused to somebody who has no proof where the configuration requires one', async () => {
    const by = somebody()
    const { request, body, isGiven } = await prepare(by)
    expect(await send(by, request, body)).toMatchObject({ status: 403, code: 'approval.passphrase_unset' })
    expect(await isGiven()).toBe(false)
  })

  test('takes a passkey of this person for exactly this request, once', async () => {
    const { name: by, passkey } = await withPasskey()
    const { passkey: foreign } = await withPasskey()
    const { request, body, isGiven, challenge, isRepeatable } = await prepare(by)
    const [method, path] = request.split(' ')
    const asked = challenge ?? { at: 'POST /v1/passkeys/grant', body: { method, path, body } }
    const fresh = async (of = asked) => String((await send(by, of.at, of.body)).body['challenge'])
    const elsewhere = { at: 'POST /v1/passkeys/grant', body: { method, path, body: { ...body, more: 1 } } }
    for (const [proof, code] of [
      [{}, 'approval.passkey_needed'],
      [{ passkey: foreign.assert(await fresh()) }, 'passkey.not_genuine'],
      [{ passkey: passkey.assert(await fresh(elsewhere)) }, 'passkey.not_genuine'],
    ] as const) {
      expect(await send(by, request, { ...body, ...proof })).toMatchObject({ status: 403, code })
      expect(await isGiven()).toBe(false)
    }
    const proof = { passkey: passkey.assert(await fresh()) }
    const send_it = () => send(by, request, { ...body, ...proof })
    const codes = (await Promise.all([send_it(), send_it()])).map(({ code }) => code).toSorted()
    expect(codes[0]).toMatch(/^20/)
    await until(isGiven)
    if (isRepeatable === true) return
    expect([codes[1], (await send_it()).code].filter((code) => code?.startsWith('20'))).toEqual([])
  })
})
