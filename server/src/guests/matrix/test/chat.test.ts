import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestGate, pendingOf, until, type GateRig } from '../../../../test/helpers/with-gate.ts'
import { encryptedPerson } from './encrypted-person.suite.ts'
import {
  bodyOf,
  personAt,
  startHomeserver,
  synapseRoot,
  type Homeserver,
  type MatrixUser,
  type Person,
} from './homeserver.suite.ts'

const root = synapseRoot()

describe.skipIf(root === undefined)('the approvers` room', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-matrix-'))
  let homeserver: Homeserver
  let rig: GateRig
  let bot: MatrixUser
  let ana: Person
  let eve: Person
  let room = ''

  const options = () => ({
    config: {
      channels: {
        matrix: [
          {
            name: 'room',
            homeserver: homeserver.url,
            user: bot.id,
            password: `env:SLUICE_TEST_MATRIX`,
            room,
            people: { [ana.id]: { approver: 'bob', user: 'bob' } },
          },
        ],
      },
    },
  })

  beforeAll(async () => {
    homeserver = await startHomeserver(root ?? '')
    console.log(`Synapse ${homeserver.version}`)
    bot = await homeserver.register('gate')
    process.env['SLUICE_TEST_MATRIX'] = bot.password
    ana = personAt(homeserver, await homeserver.register('ana'))
    eve = personAt(homeserver, await homeserver.register('eve'))
    room = await ana.createRoom([bot.id, eve.id])
    await eve.join(room)
    rig = await openTestGate(folder, options())
  }, 120_000)
  afterAll(async () => {
    await rig.opened.close()
    await homeserver.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const held = async (text: string) => pendingOf(await rig.call('book__note', { text }))
  const prompt = (approval_id: string) =>
    ana.sees(
      room,
      (message) =>
        message.sender === bot.id && bodyOf(message).startsWith('Approve?') && bodyOf(message).includes(approval_id),
    )
  const answered = (to: string) =>
    ana.sees(room, ({ sender, content }) => {
      const { 'm.in_reply_to': replied } = (content['m.relates_to'] ?? {}) as { 'm.in_reply_to'?: { event_id: string } }
      return sender === bot.id && replied?.event_id === to
    })
  const ran = (text: string) => rig.effects().filter((line) => line.includes(`"${text}"`))

  test('a held call is posted with its consequences; an approver`s reaction executes it; the message is edited', async () => {
    const { approval_id } = await held('by reaction')
    const message = await prompt(approval_id)
    expect(bodyOf(message)).toContain('by reaction')
    await eve.react(room, message.event_id, '✅')
    await ana.sees(room, ({ content }) => String(content['body']).startsWith('Only approvers'))
    expect(ran('by reaction')).toEqual([])
    await ana.react(room, message.event_id, '✅')
    await until(() => ran('by reaction').length === 1)
    await ana.sees(room, ({ content }) => {
      const relation = content['m.relates_to'] as { rel_type?: string; event_id?: string } | undefined
      return (
        relation?.rel_type === 'm.replace' &&
        relation.event_id === message.event_id &&
        bodyOf({ content } as never).includes('executed')
      )
    })
    expect(ran('by reaction')).toHaveLength(1)
  })

  test('commands of approvers decide; messages of others, look-alikes and forged prompts do not', async () => {
    const { approval_id, call_id } = await held('by command')
    await prompt(approval_id)
    for (const text of [`please approve ${approval_id}`, `аpprove ${approval_id}`]) await ana.say(room, text)
    expect(bodyOf(await answered(await eve.say(room, `approve ${approval_id}`)))).toContain('Only approvers')
    const forged = await eve.send(room, 'm.room.message', {
      msgtype: 'm.text',
      body: `Approve? a harmless thing ${approval_id}`,
      'io.sluice.prompt': { approval_id, digest: 'f'.repeat(64) },
    })
    await ana.react(room, forged, '✅')
    expect(bodyOf(await answered(await ana.say(room, `deny ${approval_id}`)))).toContain('Not denied yet')
    expect(bodyOf(await answered(await ana.say(room, 'approvals')))).toContain(approval_id)
    expect(ran('by command')).toEqual([])
    expect(bodyOf(await answered(await ana.say(room, `deny ${approval_id} reason: not today`)))).toContain('denied')
    expect(await rig.outcome(call_id)).toMatchObject({ status: 'refused', problem: { about: { reason: 'not today' } } })
  })

  test('a strong request is not approved in a chat', async () => {
    const { approval_id } = pendingOf(await rig.call('book__slow_note', { text: 'strong' }))
    await prompt(approval_id)
    const answer = bodyOf(await answered(await ana.say(room, `approve ${approval_id}`)))
    expect(answer).toContain(`/#/approvals/${approval_id}`)
    expect(ran('strong')).toEqual([])
  })

  test('a pasted secret is rejected, and it is neither stored nor logged', async () => {
    const secret = 'ghp_x8Kq2mVbT4nWz7RcY1pLf6HsJd9GaE3uXo5i'
    expect(bodyOf(await answered(await ana.say(room, `use ${secret} for it`)))).toContain('looks like a secret')
    const entries = JSON.stringify(await rig.gate.audit.page(undefined, 1, 1000))
    expect(entries).not.toContain(secret)
    expect(readFileSync(join(folder, 'data/ledger.sqlite'), 'latin1')).not.toContain(secret)
  })

  test.skipIf(process.env['SLUICE_MATRIX'] !== 'whole')(
    'an answer given while the gate is down counts once after it is back',
    async () => {
      const { approval_id } = await held('while away')
      const message = await prompt(approval_id)
      const { approval_id: other } = await held('by an edit')
      await prompt(other)
      await rig.opened.close()
      await ana.react(room, message.event_id, '✅')
      // Later edits of a message do not count.
      const target = await ana.say(room, 'good morning')
      const text = { msgtype: 'm.text', body: `approve ${other}` }
      const changes = { 'm.new_content': text, 'm.relates_to': { rel_type: 'm.replace', event_id: target } }
      await ana.send(room, 'm.room.message', { ...text, ...changes })
      rig = await openTestGate(folder, options())
      await until(() => ran('while away').length === 1)
      await rig.opened.close()
      rig = await openTestGate(folder, options())
      const { approval_id: next } = await held('afterwards')
      await prompt(next)
      expect([ran('while away').length, ran('by an edit').length]).toEqual([1, 0])
    },
    60_000,
  )

  test('in an encrypted room the homeserver sees neither the prompt nor the answer', async () => {
    const inside = mkdtempSync(join(tmpdir(), 'sluice-matrix-e2ee-'))
    const person = await homeserver.register(`kim${Date.now()}`)
    const kim = await encryptedPerson(homeserver, person)
    const secretRoom = await kim.createEncryptedRoom([bot.id])
    const [channel] = options().config.channels.matrix
    const people = { [person.id]: { approver: 'bob', user: 'bob' } }
    const matrix = [{ ...channel, room: secretRoom, people }]
    const own = await openTestGate(inside, { config: { channels: { matrix } } })
    try {
      const { approval_id } = pendingOf(await own.call('book__note', { text: 'behind closed doors' }))
      const shown = await kim.sees((text) => text.startsWith('Approve?') && text.includes(approval_id))
      expect(shown).toContain('behind closed doors')
      await kim.say(secretRoom, `approve ${approval_id}`)
      await until(() => own.effects().some((line) => line.includes('behind closed doors')))
      const stored = JSON.stringify(await personAt(homeserver, person).messages(secretRoom))
      expect(stored).toContain('m.room.encrypted')
      expect(stored).not.toContain(approval_id)
    } finally {
      await own.opened.close()
      await kim.close()
      rmSync(inside, { recursive: true, force: true })
    }
  })

  test.skipIf(process.env['SLUICE_MATRIX'] !== 'whole')(
    'no prompt is lost while the homeserver is down',
    async () => {
      await homeserver.stop()
      const { approval_id } = await held('no homeserver')
      await homeserver.start()
      await prompt(approval_id)
      expect(bodyOf(await answered(await ana.say(room, `approve ${approval_id}`)))).toContain('approved')
      await until(() => ran('no homeserver').length === 1)
    },
    60_000,
  )
})
