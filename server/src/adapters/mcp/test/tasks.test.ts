import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runGate } from '../../../../test/helpers/with-running-gate.ts'
import { until } from '../../../../test/helpers/with-gate.ts'
import { sendRaw, listenTo, modern, rpc } from '../../../../test/helpers/send-raw.ts'
import { waitForLine, startMcpGate, type McpGate } from '../../../../test/helpers/with-mcp-gate.ts'

let gate: McpGate
let agent = ''
let other = ''
let approver = ''
beforeAll(async () => {
  gate = await startMcpGate({ mcp: { surface: 'passthrough' } })
  agent = await gate.key('agent', 'a', 'ana')
  other = await gate.key('agent', 'b', 'bo')
  approver = await gate.key('approver', 'bob')
})
afterAll(() => gate.stop())

type Words = { taskId: string; status: string; statusMessage?: string; [key: string]: unknown }
type Notification = { method?: string; params?: Record<string, unknown> }
/** Without list notifications, which may arrive at any time while tool servers start. */
const aboutCalls = (messages: readonly unknown[]): readonly Notification[] =>
  (messages as readonly Notification[]).filter(({ method }) => method?.endsWith('list_changed') !== true)

const RELATED = 'io.modelcontextprotocol/related-task'
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

/** One request before 2026-07-28. */
async function ask(method: string, params: object = {}, key = agent) {
  const { text, body, headers } = await sendRaw(gate, key, { body: rpc(method, params) })
  const stream = String(headers['content-type']).startsWith('text/event-stream')
  const said = stream ? (JSON.parse(/data: (.*)/.exec(text)?.[1] ?? '{}') as typeof body) : body
  return { result: said['result'] as Record<string, unknown> | undefined, error: said.error }
}
async function listed(params: object = {}): Promise<{ tasks: Words[]; nextCursor?: string }> {
  return (await ask('tasks/list', params)).result as { tasks: Words[]; nextCursor?: string }
}
/** One request since 2026-07-28. */
async function askNew(method: string, params: Record<string, unknown> = {}, capabilities: object = TASKS, key = agent) {
  const { body, status } = await sendRaw(gate, key, modern(method, params, capabilities))
  return { status, result: body['result'] as Words | undefined, error: body.error }
}

async function begin(name: string, args: object = {}, key = agent): Promise<Words> {
  const { result } = await ask('tools/call', { name, arguments: args, task: { ttl: 60_000 } }, key)
  return result?.['task'] as Words
}
const approvalOf = async (text: string): Promise<string> => {
  const { body } = await gate.http('GET', '/v1/approvals?state=pending', approver)
  const found = (body['items'] as { approval_id: string }[]).find((one) => JSON.stringify(one).includes(text))
  return found?.approval_id ?? 'none'
}
const approve = async (text: string) => gate.approve(await approvalOf(text), approver)
const times = (text: string) =>
  gate.seen().filter((line) => line.startsWith('note') && line.includes(`"${text}"`)).length

async function sessionOf(key: string): Promise<string> {
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } }
  const { headers } = await sendRaw(gate, key, { body: rpc('initialize', hello) })
  return String(headers['mcp-session-id'])
}

describe('a task of 2025-11-25', () => {
  test('is announced, for the tools behind the gate and no others', async () => {
    const hello = (protocolVersion: string) => ({
      protocolVersion,
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    })
    const { result } = await ask('initialize', hello('2025-11-25'))
    expect(result?.['capabilities']).toMatchObject({
      tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
      logging: {},
    })
    expect((await ask('initialize', hello('2025-06-18'))).result?.['capabilities']).not.toHaveProperty('tasks')
    const { tools } = (await ask('tools/list')).result as { tools: { name: string; execution?: object }[] }
    const support = tools.map(({ name, execution }) => [name, execution])
    expect(Object.fromEntries(support)).toMatchObject({
      lively__note: { taskSupport: 'optional' },
      call_status: undefined,
    })
    const status = await ask('tools/call', { name: 'call_status', arguments: { call_id: 'x' }, task: {} })
    expect(status.error?.code).toBe(-32601)
  })

  test('of a held call is `working` until a person decides, and its result waits for that', async () => {
    const task = await begin('lively__note', { text: 'held' })
    expect(task).toMatchObject({ status: 'working', ttl: null, pollInterval: 1000 })
    expect(task.statusMessage).toMatch(/held for approval.*\/#\/approvals\//)
    const waiting = [1, 2].map(() => ask('tasks/result', { taskId: task.taskId }))
    expect((await ask('tasks/get', { taskId: task.taskId })).result).toEqual(task)
    await approve('held')
    for (const { result } of await Promise.all(waiting)) {
      expect(result?.['content']).toEqual([{ type: 'text', text: 'note done: held' }])
      expect(result?.['_meta']).toEqual({ [RELATED]: { taskId: task.taskId } })
    }
    expect((await ask('tasks/get', { taskId: task.taskId })).result).toMatchObject({ status: 'completed' })
    expect(times('held')).toBe(1)
  })

  test('of a call that runs is answered before the tool is', async () => {
    const task = await begin('lively__stay', { text: 'early' })
    expect(task.status).toBe('working')
    await waitForLine(gate, 'stay {"text":"early"}')
    await ask('tools/call', { name: 'lively__release', arguments: {} })
    const { result } = await ask('tasks/result', { taskId: task.taskId })
    expect(result?.['content']).toEqual([{ type: 'text', text: 'released' }])
  })

  test('of a call that is denied has failed, and says why', async () => {
    const task = await begin('lively__note', { text: 'denied' })
    const body = { decision: 'deny', reason: 'no' }
    await gate.http('POST', `/v1/approvals/${await approvalOf('denied')}/decide`, approver, body)
    const { result } = await ask('tasks/result', { taskId: task.taskId })
    expect(result).toMatchObject({ isError: true, structuredContent: { status: 'refused', code: 'approval.denied' } })
    const { result: after } = await ask('tasks/get', { taskId: task.taskId })
    expect(after).toMatchObject({ status: 'failed', statusMessage: expect.stringContaining('approval.denied') })
  })

  test('that is held is cancelled permanently: no approval runs it', async () => {
    const task = await begin('lively__note', { text: 'taken back' })
    const approval = await approvalOf('taken back')
    const { result } = await ask('tasks/cancel', { taskId: task.taskId })
    expect(result).toMatchObject({ taskId: task.taskId, status: 'cancelled' })
    const late = await gate.approve(approval, approver)
    expect(late).toMatchObject({ status: 410, body: { code: 'approval.withdrawn' } })
    const again = await ask('tasks/cancel', { taskId: task.taskId })
    expect(again.error).toMatchObject({ code: -32602, data: { code: 'task.over' } })
    expect(times('taken back')).toBe(0)
  })

  test('that runs is cancelled in the tool server, and stays cancelled', async () => {
    const task = await begin('lively__stay', { text: 'stop it' })
    await waitForLine(gate, 'stay {"text":"stop it"}')
    const { result } = await ask('tasks/cancel', { taskId: task.taskId })
    expect(result).toMatchObject({ status: 'cancelled' })
    await waitForLine(gate, 'cancelled stay stop it')
    expect((await ask('tasks/get', { taskId: task.taskId })).result).toMatchObject({ status: 'cancelled' })
    expect((await ask('tasks/result', { taskId: task.taskId })).result).toMatchObject({ isError: true })
  })

  test('is cancelled in the tool server also when it runs because a person approved it', async () => {
    const task = await begin('lively__linger', { text: 'approved' })
    await approve('approved')
    await waitForLine(gate, 'linger {"text":"approved"}')
    const { result } = await ask('tasks/cancel', { taskId: task.taskId })
    expect(result).toMatchObject({ status: 'cancelled', statusMessage: expect.stringContaining('It is not known') })
    await waitForLine(gate, 'cancelled linger approved')
  })

  test('with a concurrent approval and cancellation: one of them wins, and a withdrawn call never runs', async () => {
    for (let round = 0; round < 5; round += 1) {
      const text = `race ${round}`
      const { taskId } = await begin('lively__note', { text })
      const approval = await approvalOf(text)
      const [decided] = await Promise.all([gate.approve(approval, approver), ask('tasks/cancel', { taskId })])
      await until(async () => (await ask('tasks/get', { taskId })).result?.['status'] !== 'working')
      const { result } = await ask('tasks/get', { taskId })
      if (decided.status === 200) expect(result?.['status']).toMatch(/completed|cancelled/)
      else expect([result?.['status'], times(text)]).toEqual(['cancelled', 0])
      expect(times(text)).toBeLessThanOrEqual(1)
    }
  })

  test('with an unknown outcome stays `working` until a person settles it', async () => {
    const task = await begin('lively__vanish', { text: 'gone' })
    await approve('gone')
    const waiting = ask('tasks/result', { taskId: task.taskId })
    await until(async () => {
      const { result } = await ask('tasks/get', { taskId: task.taskId })
      return String(result?.['statusMessage']).includes('It is not known')
    })
    expect((await ask('tasks/get', { taskId: task.taskId })).result).toMatchObject({ status: 'working' })
    expect(await gate.http('POST', `/v1/calls/${task.taskId}/resume`, approver, { as: 'done' })).toMatchObject({
      status: 200,
    })
    expect((await waiting).result).toMatchObject({ _meta: { [RELATED]: { taskId: task.taskId } } })
    expect((await ask('tasks/get', { taskId: task.taskId })).result).toMatchObject({ status: 'completed' })
  })

  test('is unknown for everybody else, including approvers, and for calls that are not tasks', async () => {
    const task = await begin('lively__look', { text: 'mine' })
    for (const key of [other, approver])
      for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
        expect((await ask(method, { taskId: task.taskId }, key)).error).toMatchObject({
          code: -32602,
          data: { code: 'task.unknown' },
        })
    expect((await ask('tasks/list', {}, other)).result).toEqual({ tasks: [] })
    const plain = await ask('tools/call', { name: 'lively__note', arguments: { text: 'plain' } })
    const held = plain.result as { structuredContent: { call_id: string } }
    expect((await ask('tasks/get', { taskId: held.structuredContent.call_id })).error?.data.code).toBe('task.unknown')
  })

  test('is listed, the newest first, page by page', async () => {
    const last = await begin('lively__look', { text: 'newest' })
    expect((await listed()).tasks[0]?.taskId).toBe(last.taskId)
    for (let made = 0; made < 50; made += 1) await begin('lively__look', { text: `page ${made}` })
    const first = await listed()
    expect(first.tasks).toHaveLength(50)
    expect((await listed({ cursor: first.nextCursor })).tasks[0]?.taskId).toBe(last.taskId)
    expect((await ask('tasks/list', { cursor: 'nonsense' })).error?.code).toBe(-32602)
    // They have ended before other tests listen for changes: calls without a session are reported on every stream of their caller.
    await until(async () => (await listed()).tasks.every(({ status }) => status === 'completed'))
  })

  test.each([
    ['a task that is not an object', { name: 'lively__look', task: 1 }, 'mcp.params_invalid'],
    ['a time to live that is not a number', { name: 'lively__look', task: { ttl: 'long' } }, 'mcp.params_invalid'],
    ['a tool that does not exist', { name: 'lively__none', task: {} }, 'tool.unknown'],
    ['arguments that do not match the schema', { name: 'lively__note', task: {} }, 'call.args_invalid'],
  ])('is refused for %s', async (_, params, code) => {
    expect((await ask('tools/call', { arguments: {}, ...params })).error).toMatchObject({
      code: -32602,
      data: { code },
    })
  })

  test('reports its progress and changes only on the listening stream of its own session', async () => {
    const [mine, sibling, foreign] = await Promise.all([sessionOf(agent), sessionOf(agent), sessionOf(other)])
    const listen = (key: string, session: string) => listenTo(gate, key, { headers: { 'mcp-session-id': session } })
    const streams = [listen(agent, mine), listen(agent, sibling), listen(other, foreign)]
    await Promise.all(streams.map(({ opened }) => opened))
    const headers = { 'mcp-session-id': mine }
    const params = { name: 'lively__steps', arguments: { count: 1 }, task: {}, _meta: { progressToken: 'p' } }
    const { body } = await sendRaw(gate, agent, { headers, body: rpc('tools/call', params) })
    const { taskId } = (body['result'] as { task: Words }).task
    const notifications = () => (streams[0]?.messages ?? []) as Notification[]
    await until(() => notifications().some(({ params: said }) => said?.['status'] === 'completed'))
    expect(notifications()).toContainEqual({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progress: 1, total: 1, message: 'step 1', progressToken: 'p', _meta: { [RELATED]: { taskId } } },
    })
    const statuses = notifications().filter(({ method }) => method === 'notifications/tasks/status')
    expect(new Set(statuses.map(({ params: said }) => said?.['taskId']))).toEqual(new Set([taskId]))
    // A task that ends before it is reported is reported once, with its end.
    expect(['working completed', 'completed']).toContain(statuses.map(({ params: said }) => said?.['status']).join(' '))
    expect(streams.slice(1).flatMap(({ messages }) => aboutCalls(messages))).toEqual([])
    for (const stream of streams) stream.close()
  })
})

describe('a held call that is not a task', () => {
  test('is reported in the log of its own session when it is decided, at the session`s log level', async () => {
    const [mine, quiet] = await Promise.all([sessionOf(agent), sessionOf(agent)])
    const streams = [mine, quiet].map((session) => listenTo(gate, agent, { headers: { 'mcp-session-id': session } }))
    const boss = listenTo(gate, approver, {})
    await Promise.all([...streams, boss].map(({ opened }) => opened))
    const in_quiet = { 'mcp-session-id': quiet }
    await sendRaw(gate, agent, { headers: in_quiet, body: rpc('logging/setLevel', { level: 'error' }) })
    const hold = async (session: string, text: string) => {
      const body = rpc('tools/call', { name: 'lively__note', arguments: { text } })
      const answer = await sendRaw(gate, agent, { headers: { 'mcp-session-id': session }, body })
      return (answer.body['result'] as { structuredContent: Record<string, string> }).structuredContent
    }
    const no_answer = await hold(quiet, 'no_answer')
    const { call_id, approval_id } = await hold(mine, 'listened')
    await approve('no_answer')
    await approve('listened')
    const [loud, silent] = streams.map(({ messages }) => messages as Notification[])
    await until(() => JSON.stringify(loud).includes('"state":"executed"'))
    expect(aboutCalls(loud ?? []).map(({ params }) => [params?.['level'], params?.['data']])).toMatchObject([
      ['notice', { call_id, approval_id, state: 'executing' }],
      ['notice', { call_id, approval_id, state: 'executed' }],
    ])
    const { result } = await ask('tools/call', { name: 'call_status', arguments: { call_id: no_answer['call_id'] } })
    expect(JSON.stringify(result)).toContain('note done: no_answer')
    expect([silent ?? [], boss.messages].map(aboutCalls)).toEqual([[], []])
    for (const stream of [...streams, boss]) stream.close()
  })
})

describe('a task since 2026-07-28', () => {
  test('is only for clients that declare it', async () => {
    const { result } = await askNew('server/discover', {}, {})
    expect(result?.['capabilities']).toMatchObject(TASKS)
    const held = await askNew('tools/call', { name: 'lively__note', arguments: { text: 'undeclared' } }, {})
    expect(held.result).toMatchObject({ resultType: 'complete', structuredContent: { status: 'pending' } })
    const get = await askNew('tasks/get', { taskId: 'x' }, {})
    expect(get).toMatchObject({ status: 400, error: { code: -32021, data: { requiredCapabilities: TASKS } } })
    const listen = modern('subscriptions/listen', { notifications: { taskIds: ['x'] } }, {})
    expect((await sendRaw(gate, agent, listen)).body.error?.code).toBe(-32021)
  })

  test('is the answer to a held call; its end is reported to subscribers', async () => {
    const { result } = await askNew('tools/call', { name: 'lively__note', arguments: { text: 'new' } })
    expect(result).toMatchObject({ resultType: 'task', status: 'working', ttlMs: null })
    const taskId = String(result?.taskId)
    const wanted = { notifications: { taskIds: [taskId, 'call_000000000000000000000000'] } }
    const mine = listenTo(gate, agent, { method: 'POST', ...modern('subscriptions/listen', wanted, TASKS) })
    const theirs = listenTo(gate, other, { method: 'POST', ...modern('subscriptions/listen', wanted, TASKS) })
    await until(() => mine.messages.length === 2)
    await approve('new')
    const notifications = mine.messages as Notification[]
    await until(() => notifications.some(({ params }) => params?.['status'] === 'completed'))
    expect(notifications[0]).toMatchObject({ params: { notifications: { taskIds: [taskId] } } })
    expect(notifications.at(-1)).toMatchObject({
      method: 'notifications/tasks',
      params: {
        taskId,
        result: { content: [{ type: 'text', text: 'note done: new' }] },
        _meta: { 'io.modelcontextprotocol/subscriptionId': 1 },
      },
    })
    expect((await askNew('tasks/get', { taskId })).result).toMatchObject({
      resultType: 'complete',
      status: 'completed',
    })
    await until(theirs.isOver)
    expect(theirs.messages).toMatchObject([{ params: { notifications: {} } }, { result: { resultType: 'complete' } }])
    expect(times('new')).toBe(1)
    mine.close()
  })

  test('is the answer to a slow call, and a cancelled one is cancelled in the tool server', async () => {
    const quick = await askNew('tools/call', { name: 'lively__look', arguments: {} })
    expect(quick.result).toMatchObject({ resultType: 'complete', content: [{ text: 'look done' }] })
    const { result } = await askNew('tools/call', { name: 'lively__stay', arguments: { text: 'slow' } })
    expect(result).toMatchObject({ resultType: 'task', status: 'working' })
    const taskId = String(result?.taskId)
    const cancelled = await askNew('tasks/cancel', { taskId })
    expect(Object.keys(cancelled.result ?? {}).sort()).toEqual(['_meta', 'resultType'])
    await waitForLine(gate, 'cancelled stay slow')
    expect((await askNew('tasks/get', { taskId })).result).toMatchObject({ status: 'cancelled' })
    expect((await askNew('tasks/cancel', { taskId })).result).toMatchObject({ resultType: 'complete' })
    expect((await askNew('tasks/update', { taskId, inputResponses: {} })).result).toMatchObject({
      resultType: 'complete',
    })
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update'])
      expect((await askNew(method, { taskId }, TASKS, other)).error).toMatchObject({ code: -32602 })
    for (const method of ['tasks/result', 'tasks/list'])
      expect((await askNew(method, { taskId })).error?.code).toBe(-32601)
  })

  test('is completed if the tool returns an error result, and failed if it returns a JSON-RPC error', async () => {
    const results: (Words | undefined)[] = []
    for (const how of ['broken result', 'broken error']) {
      const { result } = await askNew('tools/call', { name: 'lively__break', arguments: { text: how } })
      await approve(how)
      const taskId = String(result?.taskId)
      await until(async () => (await askNew('tasks/get', { taskId })).result?.status !== 'working')
      results.push((await askNew('tasks/get', { taskId })).result)
    }
    expect(results).toMatchObject([
      { status: 'completed', result: { isError: true } },
      { status: 'failed', error: { code: -32000, message: 'broken' } },
    ])
    expect(results[1]).not.toHaveProperty('result')
  })

  test('is offered after the console to a client that can show pages', async () => {
    const both = { ...TASKS, elicitation: { url: {} } }
    const call = { name: 'lively__note', arguments: { text: 'shown' } }
    const { result } = await askNew('tools/call', call, both)
    expect(result).toMatchObject({ resultType: 'input_required' })
    const back = await sendRaw(
      gate,
      agent,
      modern('tools/call', { ...call, requestState: result?.['requestState'] }, both),
    )
    expect(back.body['result']).toMatchObject({ resultType: 'task', taskId: result?.['requestState'] })
    expect(times('shown')).toBe(0)
  })
})

test('a task survives if the gate is killed between the hold and the approval', async () => {
  const task = await begin('lively__note', { text: 'outlives' })
  gate.process.kill('SIGKILL')
  await new Promise((done) => gate.process.once('exit', done))
  gate = { ...(await runGate(gate.folder)), seen: gate.seen }
  // The address of the console has changed.
  const { statusMessage: _, ...same } = task
  expect((await ask('tasks/get', { taskId: task.taskId })).result).toMatchObject(same)
  const waiting = [1, 2].map(() => ask('tasks/result', { taskId: task.taskId }))
  await approve('outlives')
  for (const { result } of await Promise.all(waiting))
    expect(result?.['content']).toEqual([{ type: 'text', text: 'note done: outlives' }])
  expect(times('outlives')).toBe(1)
})
