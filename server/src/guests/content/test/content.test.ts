import { expect, test } from 'vitest'
import {
  APPROVER,
  BOOK_TOOLS,
  pendingOf,
  withGate,
  type GateRig,
  approveShown,
} from '../../../../test/helpers/with-gate.ts'

// Assembled at run time, so that secret scanners do not report this file.
const SECRET = ['ghp', 'q7RzT2mKx9Lw4Vb8Nc1Yd6Hf3Js5Gp0AeUiO'].join('_')
const CARD = ['4111', '1111', '1111', '1111'].join(' ')

test('sending a secret is blocked, writing a secret or personal data is asked about, and reads may contain either', async () => {
  const tools = { ...BOOK_TOOLS, note_again: { effects: ['write'] }, note: { effects: ['write', 'external'] } }
  const opened = async ({ gate, call, effects, outcome }: GateRig) => {
    const written = pendingOf(await call('book__note_again', { text: `my token is ${SECRET}` }))
    expect(written.evidence).toMatchObject([
      { rule: 'notes-run' },
      { rule: 'content.secret', effect: 'ask', strength: 'strong' },
      { rule: 'packet.hidden' },
    ])
    const blocked = await call('book__note', { text: `my token is ${SECRET}` })
    expect(blocked).toMatchObject({ status: 'refused', problem: { about: { rules: 'content.secret' } } })
    expect(JSON.stringify(blocked)).not.toContain(SECRET.slice(0, 8))
    expect(JSON.stringify(await gate.audit.page(undefined, 1, 1000))).not.toContain(SECRET.slice(4))

    const held = pendingOf(await call('book__note_again', { text: `card ${CARD}` }))
    expect(held.evidence).toMatchObject([{ rule: 'notes-run' }, { rule: 'content.pii' }])
    expect(effects()).toEqual([])
    await approveShown(gate, APPROVER, held.approval_id)
    expect(await outcome(held.call_id)).toMatchObject({ status: 'executed' })

    expect(await call('book__look', { text: SECRET })).toMatchObject({ status: 'executed' })
    const fetched = await call('book__look', { text: `https://x.test/?q=${Buffer.from(SECRET).toString('base64')}` })
    expect(fetched).toMatchObject({ status: 'refused', problem: { about: { rules: 'content.secret' } } })
    const destroying = await call('book__note_again', { text: 'key: [REDACTED_SECRET]' })
    expect(destroying).toMatchObject({ status: 'refused', problem: { about: { rules: 'content.redacted' } } })
  }
  await withGate(opened, { server: { tools } })
})

test('the operator sets per tool how secrets and personal data are handled', async () => {
  const content = (secrets: string, pii: string) => ({ effects: ['write'], content: { secrets, pii } })
  const tools = { note_again: content('off', 'off'), note: content('ask', 'off') }
  await withGate(
    async ({ call }) => {
      expect(await call('book__note_again', { text: `${SECRET} ${CARD}` })).toMatchObject({ status: 'executed' })
      expect(pendingOf(await call('book__note', { text: SECRET })).evidence).toMatchObject([
        { decider: 'policy' },
        { rule: 'content.secret', effect: 'ask', strength: 'strong' },
        { rule: 'packet.hidden' },
      ])
    },
    { server: { tools } },
  )
})
