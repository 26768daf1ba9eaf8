import { expect, test } from 'vitest'
import { withGate } from '../../../../test/helpers/with-gate.ts'

test('a forged call is a separate security finding, also as a dry run, with a used key, and with invalid arguments', async () => {
  await withGate(async ({ gate, call, effects }) => {
    const claimed = { hash: 'f'.repeat(64) }
    const forged = { status: 'refused', problem: { code: 'call.integrity_mismatch' } }
    expect(await call('book__note', { text: 'x' }, { claimed })).toMatchObject(forged)
    expect(await call('book__note', { text: 'x' }, { claimed, dry_run: 'only' })).toMatchObject(forged)
    expect(await call('book__note', { text: 7 }, { claimed })).toMatchObject(forged)
    expect(await call('book__look', {}, { idempotency_key: 'k' })).toMatchObject({ status: 'executed' })
    expect(await call('book__look', {}, { idempotency_key: 'k', claimed })).toMatchObject(forged)
    const entries = await gate.audit.page(undefined, 1, 1000)
    const findings = entries.filter(({ type }) => type === 'call.integrity_mismatch')
    expect(findings).toHaveLength(4)
    expect(findings[0]).toMatchObject({
      actor: 'agent:a',
      subject: { tool: 'book__note', thread: 't1' },
      about: { severity: 'high', rules: ['integrity.hash_differs'] },
    })
    expect(effects()).toEqual([])
  })
})
