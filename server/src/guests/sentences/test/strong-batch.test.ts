import { expect, test } from 'vitest'
import { approveShown, pendingOf, SECOND, typedFor, withGate } from '../../../../test/helpers/with-gate.ts'

test('a batch of strong requests is decided by naming each: a proof for one of them approves none of the others', () =>
  withGate(async ({ gate, call }) => {
    const read = async (id: string) => {
      const packet = await gate.approvals.read(SECOND, id)
      if (!packet.ok) throw new Error(packet.problem.code)
      return packet.value
    }
    const stateOf = async (id: string) => (await read(id)).state
    const held: string[] = []
    for (const text of ['p1@x.example', 'p2@x.example', 'p3@x.example'])
      held.push(pendingOf(await call('book__slow_note', { text })).approval_id)
    const [first = '', ...others] = held
    const typed = typedFor(await read(first))
    expect(typed).toBe('p1@x.example')
    for (const id of others) {
      const { digest } = await read(id)
      for (const tried of [undefined, '', typed, 'yes', typed.toUpperCase(), `${typed}, ${typedFor(await read(id))}`]) {
        const decision = { says: 'approve', digest, ...(tried === undefined ? {} : { typed: tried }) } as const
        expect(await gate.approvals.decide(SECOND, id, decision)).toEqual({
          ok: false,
          problem: { code: 'approval.typed_needed', about: { approval_id: id } },
        })
      }
      expect(await stateOf(id)).toBe('pending')
    }
    expect(await approveShown(gate, SECOND, first)).toMatchObject({ ok: true })
    for (const id of others) expect(await stateOf(id)).toBe('pending')
    for (const id of others) expect(await approveShown(gate, SECOND, id)).toMatchObject({ ok: true })
  }))
