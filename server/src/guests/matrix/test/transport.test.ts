import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runDocument } from '../../workflows/run-document.ts'
import { listWorkflowRuns } from '../../workflows/read-documents.ts'
import { dieIn } from '../../../../test/crash/dying.ts'
import { ADMIN, until } from '../../../../test/helpers/with-gate.ts'
import { openWorkflows, type WorkflowRig } from '../../workflows/test/with-workflows.suite.ts'
import { valueOf } from '../../toolflow/test/with-flows.suite.ts'
import type { DyingSender } from './dying.suite.ts'
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

const root = process.env['SLUICE_MATRIX'] === 'whole' ? synapseRoot() : undefined

describe.skipIf(root === undefined)('a document with a Matrix user', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-matrix-transport-'))
  let homeserver: Homeserver
  let rig: WorkflowRig
  let clerk: MatrixUser
  let boss: Person
  let imp: Person
  let room = ''
  let count = 0

  const document = (more = '') => `apiVersion: gosuto/v1
metadata: { name: clerk }
trust:
  allowedRooms: ["${room}"]
  allowedSenders: ["*"]
  ${more}
  trustedPeers: [{ mxid: "${boss.id}", roomId: "${room}", protocols: [clerk.file.v1] }]
capabilities: [{ name: book, mcp: book, tool: "*", allow: true }]
messaging: { allowedTargets: [{ roomId: "${room}", alias: office }] }
workflow:
  schemas: { request: { type: object, required: [id], properties: { id: { type: integer } } } }
  protocols:
    - id: clerk.file.v1
      trigger: { type: matrix.protocol_message, prefix: CLERK_FILE }
      inputSchemaRef: request
      steps:
        - { type: tool, tool: book__note_again, argsTemplate: { text: "filed {{input.id}}" } }
        - { type: send_message, targetAlias: office, payloadTemplate: 'CLERK_DONE {{input | json}}' }
`
  const transports = () => [
    {
      name: 'chat',
      matrix: {
        homeserver: homeserver.url,
        agents: { clerk: { user: clerk.id, password: 'env:SLUICE_TEST_CLERK' } },
      },
    },
  ]
  const open = () => openWorkflows(folder, { transport: false, config: { transports: transports() } })

  beforeAll(async () => {
    homeserver = await startHomeserver(root ?? '')
    clerk = await homeserver.register('clerk')
    process.env['SLUICE_TEST_CLERK'] = clerk.password
    boss = personAt(homeserver, await homeserver.register('boss'))
    imp = personAt(homeserver, await homeserver.register('imp'))
    room = await boss.createRoom([clerk.id, imp.id])
    await imp.join(room)
    rig = await open()
    await rig.apply(document())
  }, 120_000)
  afterAll(async () => {
    await rig.close()
    await homeserver.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const FILE = (id: unknown) => `CLERK_FILE ${JSON.stringify({ id })}`
  const next = () => (count += 1)
  const filed = (id: number) => rig.effects().filter((line) => line.includes(`"filed ${id}"`)).length
  const done = (id: number) => `CLERK_DONE {"id":${id}}`
  const answers = async (id: number) =>
    (await boss.messages(room)).filter((one) => one.sender === clerk.id && bodyOf(one) === done(id)).length
  const answered = (id: number) => boss.sees(room, (one) => one.sender === clerk.id && bodyOf(one) === done(id))
  const refusals = async () =>
    (await rig.gate.audit.page(undefined, 1, 100_000)).filter(({ type }) => type === 'workflow.refused')

  test('accepts the invitation to a room that it names, processes a message and answers in the room', async () => {
    const id = next()
    await boss.say(room, FILE(id))
    await answered(id)
    expect([filed(id), await answers(id)]).toEqual([1, 1])
  })

  test('refuses an impostor in the right room before it looks at the payload, in the order of the checks', async () => {
    const before = (await refusals()).length
    await imp.say(room, FILE(99))
    await imp.say(room, 'CLERK_FILE {not json')
    await boss.say(room, 'CLERK_FILE {not json')
    await boss.say(room, FILE('text'))
    await boss.say(room, 'CLERK_FIRE {"id":1}')
    await boss.say(room, 'good morning')
    const id = next()
    await boss.say(room, FILE(id))
    await answered(id)
    const refused = (await refusals()).slice(before)
    expect(refused.map(({ outcome }) => outcome)).toEqual([
      'trust_mismatch',
      'trust_mismatch',
      'invalid_protocol_message',
      'schema_validation',
      'invalid_protocol_message',
    ])
    expect(refused[0]).toMatchObject({
      actor: 'transport:chat',
      subject: { protocol: 'clerk.file.v1' },
      about: { sender: imp.id, room, level: 'warning' },
    })
    expect(filed(99)).toBe(0)
  })

  test('ignores edits, notices, forged fields and other rooms', async () => {
    const before = (await refusals()).length
    const target = await boss.say(room, 'nothing to see')
    const fresh = { msgtype: 'm.text', body: FILE(98) }
    await boss.send(room, 'm.room.message', {
      ...fresh,
      'm.new_content': fresh,
      'm.relates_to': { rel_type: 'm.replace', event_id: target },
    })
    await boss.send(room, 'm.room.message', { msgtype: 'm.notice', body: FILE(98) })
    await imp.send(room, 'm.room.message', { msgtype: 'm.text', body: FILE(98), sender: boss.id, user_id: boss.id })
    const elsewhere = await imp.createRoom([clerk.id, boss.id])
    await boss.join(elsewhere)
    await boss.say(elsewhere, FILE(98))
    const id = next()
    await boss.say(room, FILE(id))
    await answered(id)
    expect(filed(98)).toBe(0)
    expect((await refusals()).slice(before).map(({ about }) => about?.['sender'])).toEqual([imp.id])
    // A room that the document does not name is not entered.
    const members = (await imp.messages(elsewhere)).filter(
      ({ type, content, sender }) =>
        type === 'm.room.member' && sender === clerk.id && content['membership'] === 'join',
    )
    expect(members).toEqual([])
  })

  test('reads the missed messages after a restart, even after a flood, and processes each once', async () => {
    const [known, missed] = [next(), next()]
    await boss.say(room, FILE(known))
    await answered(known)
    await rig.close()
    await boss.say(room, FILE(missed))
    for (let flood = 0; flood < 130; flood += 1) await imp.say(room, `noise ${flood}`)
    rig = await open()
    await answered(missed)
    await rig.close()
    rig = await open()
    const later = next()
    await boss.say(room, FILE(later))
    await answered(later)
    for (const id of [known, missed, later]) expect([id, filed(id), await answers(id)]).toEqual([id, 1, 1])
  }, 120_000)

  test('a message that was being sent when the gate was killed is stored once, and the run continues', async () => {
    const id = next()
    await rig.close()
    // After the message has reached the homeserver, and before that is recorded.
    const order: DyingSender = { folder, transports: transports(), input: { id } }
    const died = await dieIn(join(import.meta.dirname, 'dying.suite.ts'), { at: 'upstream.after', nth: 2 }, order)
    expect(died.out, died.err).toContain('died')
    expect([filed(id), await answers(id)]).toEqual([1, 1])
    rig = await open()
    const [run] = valueOf(await listWorkflowRuns(rig.ports, 'clerk', { limit: 1 })).items
    expect(await rig.ended(run?.run_id ?? '')).toMatchObject({ status: 'done' })
    expect([filed(id), await answers(id)]).toEqual([1, 1])
  }, 120_000)

  test('a message that mentions it starts a turn of its agent, which is answered once, in the same room and over the same transport', async () => {
    await rig.close()
    const rules = [{ when: 'greet (\\w+)', answer: 'Hello, {{1}}.' }]
    writeFileSync(join(folder, 'script.yaml'), JSON.stringify({ rules }))
    // The transport of this process reaches every room, and is tried first.
    const both = { transports: transports(), models: { script: 'script.yaml' } }
    rig = await openWorkflows(folder, { config: both })
    const said = (text: string, to: readonly string[]) =>
      boss.send(room, 'm.room.message', { msgtype: 'm.text', body: text, 'm.mentions': { user_ids: to } })
    await said('please greet Nobody', [imp.id])
    await said('please greet Ana', [clerk.id])
    await boss.sees(room, (one) => one.sender === clerk.id && bodyOf(one).startsWith('Hello, Ana.'))
    // The same message is not processed again, even after a kill.
    await rig.close()
    rig = await openWorkflows(folder, { config: both })
    await said('please greet Bob', [clerk.id])
    await boss.sees(room, (one) => one.sender === clerk.id && bodyOf(one).startsWith('Hello, Bob.'))
    const answersOf = async () =>
      (await boss.messages(room)).flatMap((one) => /^Hello, \w+/.exec(bodyOf(one)) ?? []).toReversed()
    expect(await answersOf()).toEqual(['Hello, Ana', 'Hello, Bob'])
    expect(rig.transport.sent).toEqual([])
    await rig.close()
    rig = await open()
  }, 120_000)

  test('waits for a homeserver that is down', async () => {
    const id = next()
    await homeserver.stop()
    const run = valueOf(await runDocument(rig.ports, ADMIN, 'clerk', { protocol: 'clerk.file.v1', input: { id } }))
    await until(() => filed(id) === 1)
    await homeserver.start()
    expect(await rig.ended(run.run_id)).toMatchObject({ status: 'done' })
    expect(await answers(id)).toBe(1)
  }, 120_000)

  test('reads and writes in an encrypted room, and rejects unencrypted messages if encryption is required', async () => {
    const person = await homeserver.register('kim')
    const kim = await encryptedPerson(homeserver, person)
    const plain = room
    const secretRoom = await kim.createEncryptedRoom([clerk.id])
    const was = boss
    try {
      room = secretRoom
      boss = { ...boss, id: person.id }
      await rig.apply(document('requireE2EE: true'))
      const unencrypted = personAt(homeserver, person)
      const entered = await unencrypted.sees(
        secretRoom,
        ({ type, sender, content }) =>
          type === 'm.room.member' && sender === clerk.id && content['membership'] === 'join',
      )
      expect(entered).toBeDefined()
      const before = (await refusals()).length
      await unencrypted.say(secretRoom, FILE(97))
      const id = next()
      await kim.say(secretRoom, FILE(id))
      expect(await kim.sees((text) => text === done(id))).toBe(done(id))
      expect([filed(id), filed(97)]).toEqual([1, 0])
      expect((await refusals()).slice(before)).toMatchObject([
        { outcome: 'trust_mismatch', about: { says: 'the message is not encrypted' } },
      ])
      const stored = JSON.stringify(
        (await unencrypted.messages(secretRoom)).filter(({ sender }) => sender === clerk.id),
      )
      expect(stored).not.toContain('CLERK_DONE')
    } finally {
      room = plain
      boss = was
      await kim.close()
    }
  }, 120_000)
})
