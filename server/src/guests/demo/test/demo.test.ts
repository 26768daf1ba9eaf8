import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startGate } from '../../../../test/helpers/with-running-gate.ts'

test('holds a message, sends it after an approval, reads it back and says that nobody may undo it', async () => {
  const demo = await startGate(() => {}, ['demo', '--port', '0'])
  try {
    expect((await demo.cli('call', 'outbox__list_messages')).out).toBe('│ 0 messages\n')
    const draft = { to: 'ana@example.com', subject: 'hi', body: 'hello' }
    const sent = await demo.cli('--json', 'call', 'outbox__send_message', JSON.stringify(draft))
    expect(sent.code).toBe(2)
    const { call_id, approval_id } = JSON.parse(sent.out) as Record<string, string>
    const { out } = await demo.cli('approvals')
    expect(out).toContain('no known way to undo it: the policy allows nobody to call `outbox__delete_message`')
    expect(out).toContain(
      "afterwards Sluice checks with outbox__read_message that `message.to` equals this call's `to`",
    )
    const approve = ['approve', approval_id ?? ''] as const
    expect(await demo.cli(...approve)).toMatchObject({
      code: 1,
      err: expect.stringContaining('approval.typed_needed'),
    })
    expect(await demo.cli(...approve, '--typed', draft.to)).toMatchObject({ code: 0 })
    const status = await demo.cli('status', call_id ?? '', '--wait', '30')
    expect(status.out).toMatch(/^│ sent to ana@example\.com as msg_[0-9a-f]{12}\n$/)
    expect(status.err).toMatch(/^verified: yes \(outbox__read_message: /m)
    const [id] = /msg_[0-9a-f]{12}/.exec(status.out) ?? []
    // A rule of the demo forbids deleting messages, for everybody.
    expect(status.err).toContain('no known way to undo it: the policy allows nobody to call `outbox__delete_message`')
    expect((await demo.cli('call', 'outbox__list_messages', '--raw')).out).toBe('1 message\n')
    expect(existsSync(join(demo.folder, 'sluice-demo/outbox/outbox.jsonl'))).toBe(true)
    expect(await demo.cli('call', 'outbox__delete_message', JSON.stringify({ id }))).toMatchObject({ code: 3 })

    const files = (tool: string, args: object) => demo.cli('call', `files__${tool}`, JSON.stringify(args))
    expect(await files('read_text_file', { path: 'welcome.txt' })).toMatchObject({ code: 0 })
    const edit = { path: 'welcome.txt', edits: [{ oldText: 'This is the only folder', newText: 'This one folder' }] }
    expect(await files('edit_file', edit)).toMatchObject({ code: 2 })
    expect((await demo.cli('approvals')).out).toContain('+This one folder')
    expect(await files('read_text_file', { path: '../sluice.yaml' })).toMatchObject({ code: 3 })
  } finally {
    await demo.stop()
  }
})
