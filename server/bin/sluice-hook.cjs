// Answers one hook event of a coding agent, as a client of the running gate. Plain CommonJS that loads nothing but small modules:
// an agent waits for it before every tool call. Usage: sluice-hook.cjs CLIENT --socket PATH [--wait SECONDS], the event on stdin.
'use strict'
const { readFileSync, writeSync } = require('node:fs')
const { connect } = require('node:net')

/** How long the gate may take to answer, beyond the time that a person gets. */
const ANSWER_MS = 15_000
const LONGEST_EVENT = 16 * 1_048_576

/** The names of events, per client. */
const EVENTS = {
  'claude-code': { before: ['PreToolUse'], after: ['PostToolUse', 'PostToolUseFailure'], prompt: ['UserPromptSubmit'] },
  codex: { before: ['PreToolUse'], after: ['PostToolUse'], prompt: ['UserPromptSubmit'] },
  qwen: { before: ['PreToolUse'], after: ['PostToolUse', 'PostToolUseFailure'], prompt: ['UserPromptSubmit'] },
  gemini: { before: ['BeforeTool'], after: ['AfterTool'], prompt: ['BeforeAgent'] },
  cursor: {
    before: ['preToolUse', 'beforeShellExecution', 'beforeMCPExecution', 'beforeReadFile'],
    after: ['postToolUse', 'afterShellExecution', 'afterMCPExecution'],
    prompt: ['beforeSubmitPrompt'],
  },
  copilot: { before: ['preToolUse'], after: ['postToolUse'], prompt: ['userPromptSubmitted'] },
}

const SHELLS = new Set(['Bash', 'bash', 'run_shell_command', 'Shell', 'shell', 'powershell'])
/** Fields whose value may be a path, and tools whose text names files. */
const PATH_FIELD = /path|file|dir|folder/i
const PATCHES = /patch/i

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
const text = (...values) => values.find((value) => typeof value === 'string' && value !== '')

/** An event in the format of the gate. Undefined for events that the gate does not judge. */
function readEvent(client, event) {
  const names = EVENTS[client]
  const name = text(event.hook_event_name, event.hookEventName, event.eventName)
  const kind = Object.keys(names).find((key) => names[key].includes(name))
  if (kind === undefined) return undefined
  const session = text(event.session_id, event.sessionId, event.conversation_id) ?? 'session'
  const thread = `${client}:${session.replace(/[^\w.:-]/g, '-')}`.slice(0, 128)
  if (kind === 'prompt') {
    // Prompt events of subagents carry text that a model wrote.
    if (text(event.agent_id, event.agentId, event.parent_session_id) !== undefined) return undefined
    const words = client === 'qwen' ? text(event.submitted_prompt) : text(event.prompt, event.user_prompt)
    return words === undefined ? undefined : { kind, name, thread, text: words }
  }
  const used = toolOf(client, name, event)
  const args = SHELLS.has(used.tool) ? shellArgs(used.args, event) : fileArgs(used.tool, used.args, event)
  const server = isObject(event.mcp_context) ? text(event.mcp_context.server_name) : undefined
  const use = { kind, name, thread, tool: used.tool, args, ...(server === undefined ? {} : { server }) }
  if (kind === 'before') return use
  const output = outputOf(event)
  return { ...use, output: output.text, failed: output.failed }
}

/** Where the client works, and its project: the gate looks there for what its MCP servers are. */
function foldersOf(event, project) {
  const roots = Array.isArray(event.workspace_roots) ? event.workspace_roots : []
  const folders = [event.cwd, project, ...roots].filter((folder) => text(folder) !== undefined)
  return [...new Set(folders)].slice(0, 4)
}

/**
 * A relative path means something only with the folder it starts at, which an approval is then bound to as well. A `cwd` that the
 * model wrote does not take its place.
 */
function fileArgs(tool, args, event) {
  const base = text(event.cwd)
  const isFrom = PATCHES.test(tool) || Object.keys(args).some((key) => PATH_FIELD.test(key) && isRelative(args[key]))
  if (base === undefined || !isFrom) return args
  return args.cwd === undefined ? { ...args, cwd: base } : { ...args, client_cwd: base }
}

const isRelative = (value) =>
  Array.isArray(value)
    ? value.some(isRelative)
    : typeof value === 'string' && value !== '' && !/^(?:[\\/]|[A-Za-z]:[\\/])/.test(value)

function toolOf(client, name, event) {
  if (client === 'cursor' && /Shell/.test(name)) return { tool: 'Shell', args: { command: event.command } }
  if (client === 'cursor' && /ReadFile/.test(name)) return { tool: 'Read', args: { file_path: event.file_path } }
  const tool = text(event.tool_name, event.toolName) ?? 'unnamed'
  const given = event.tool_input ?? event.toolArgs ?? event.arguments ?? {}
  const args = typeof given === 'string' ? parsed(given) : given
  const isMcp = client === 'cursor' && /MCP/.test(name)
  return { tool: isMcp ? `mcp__${tool}` : tool, args: isObject(args) ? args : { input: args ?? null } }
}

/** Only the command and its folder: models write a different description each time, and an approval is valid only for an equal call. */
function shellArgs(args, event) {
  const { command, directory, dir_path, workdir, cwd, run_in_background, is_background, background } = args
  const folder = text(directory, dir_path, workdir, cwd)
  const base = text(event.cwd)
  const where =
    folder === undefined ? base : folder.startsWith('/') || base === undefined ? folder : `${base}/${folder}`
  const isBackground = [run_in_background, is_background, background].includes(true)
  return {
    command: Array.isArray(command) ? oneCommand(command) : (command ?? null),
    ...(where === undefined ? {} : { cwd: where }),
    ...(isBackground ? { background: true } : {}),
  }
}

/** A list of words as a command that a shell splits into the same words. What is no list of words is refused by the gate. */
const oneCommand = (words) =>
  words.length > 0 && words.every((word) => typeof word === 'string') ? words.map(quoted).join(' ') : words
const quoted = (word) => (/^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

function outputOf(event) {
  const found = event.tool_response ?? event.toolResult ?? event.output ?? event.result_json ?? event.error ?? ''
  const failed =
    event.error !== undefined || (isObject(found) && (found.error !== undefined || found.resultType === 'failure'))
  return { text: typeof found === 'string' ? found : JSON.stringify(found), failed }
}

const parsed = (given) => {
  try {
    return JSON.parse(given)
  } catch {
    return { input: given }
  }
}

/** The answer in the client's own format. `allow` is sent only if a person has decided, so that the client's own rules stay in force. */
function answerFor(client, name, { decision, reason, approved }) {
  const refused = decision !== 'allow'
  switch (client) {
    case 'claude-code':
    case 'codex':
    case 'qwen': {
      if (!refused && (!approved || client === 'codex')) return {}
      const permissionDecision = refused ? 'deny' : 'allow'
      return { hookSpecificOutput: { hookEventName: name, permissionDecision, permissionDecisionReason: reason } }
    }
    case 'gemini':
      return refused ? { decision: 'deny', reason } : {}
    case 'cursor':
      if (refused)
        return {
          permission: 'deny',
          user_message: reason,
          agent_message: reason,
          userMessage: reason,
          agentMessage: reason,
        }
      return approved ? { permission: 'allow' } : {}
    default:
      return refused ? { permissionDecision: 'deny', permissionDecisionReason: reason } : {}
  }
}

/** The request to the gate about an event: the path, the body, and how long the answer may take. */
function requestFor(client, event, { wait_s, folders }) {
  const { kind, thread, tool, args, server } = event
  if (kind === 'prompt')
    return { path: '/v1/judgements/words', body: { client, thread, text: event.text }, ms: ANSWER_MS }
  const use = { client, tool, args, thread, folders, ...(server === undefined ? {} : { server }) }
  if (kind === 'after')
    return {
      path: '/v1/judgements/outcomes',
      body: { ...use, output: event.output, failed: event.failed },
      ms: ANSWER_MS,
    }
  return { path: '/v1/judgements', body: { ...use, wait_ms: wait_s * 1000 }, ms: wait_s * 1000 + ANSWER_MS }
}

/** One request over the data folder's socket. Rejects with a sentence. */
function ask(socket, client, { path, body, ms }) {
  return new Promise((resolve, reject) => {
    const bytes = Buffer.from(JSON.stringify(body))
    const chunks = []
    const wire = connect(socket)
    const timer = setTimeout(() => fail(`the gate did not answer within ${Math.round(ms / 1000)} seconds`), ms)
    const fail = (says) => {
      clearTimeout(timer)
      wire.destroy()
      reject(new Error(says))
    }
    wire.on('error', ({ code }) =>
      fail(
        code === 'ENOENT' || code === 'ECONNREFUSED'
          ? 'the gate is not running; start it with `sluice up`'
          : `the gate cannot be reached (${code})`,
      ),
    )
    const head = [
      `POST ${path} HTTP/1.1`,
      'host: localhost',
      'connection: close',
      'content-type: application/json',
      `x-sluice-as: agent:${client}`,
      `content-length: ${bytes.length}`,
    ]
    // One write, which is sent as soon as the connection is open.
    wire.write(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), bytes]))
    const finish = (answer) => {
      clearTimeout(timer)
      wire.destroy()
      resolve(answer)
    }
    wire.on('data', (chunk) => {
      chunks.push(chunk)
      const answer = readAnswer(Buffer.concat(chunks))
      if (answer !== undefined) finish(answer)
    })
    wire.on('close', () => fail('the gate stopped before it answered'))
  })
}

/** The status and the JSON of an answer; undefined while it is incomplete, or if it is not JSON. */
function readAnswer(bytes) {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = bytes.subarray(0, end).toString('latin1').toLowerCase()
  const status = Number(/^http\/1\.1 (\d{3})/.exec(head)?.[1])
  let body = bytes.subarray(end + 4)
  if (/\r\ntransfer-encoding: chunked/.test(head)) body = dechunked(body)
  const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1]
  if (body === undefined || (length !== undefined && body.length !== Number(length))) return undefined
  try {
    return { status, json: JSON.parse(body.toString('utf8')) }
  } catch {
    return undefined
  }
}

function dechunked(bytes) {
  const parts = []
  for (let at = 0; ;) {
    const line = bytes.indexOf('\r\n', at)
    if (line < 0) return undefined
    const size = Number.parseInt(bytes.subarray(at, line).toString('latin1'), 16)
    if (Number.isNaN(size)) return undefined
    if (size === 0) return Buffer.concat(parts)
    if (line + 2 + size > bytes.length) return undefined
    parts.push(bytes.subarray(line + 2, line + 2 + size))
    at = line + 4 + size
  }
}

/** What the gate's answer means for the call. Anything but a clear permission is a refusal. */
function decisionIn({ status, json }) {
  if (status === 200 && isObject(json) && json.decision === 'allow') return json
  if (isObject(json) && typeof json.reason === 'string') return { decision: 'block', reason: json.reason }
  const said = isObject(json)
    ? [text(json.title), text(json.detail)].filter((part) => part !== undefined).join(': ')
    : ''
  return { decision: 'block', reason: said === '' ? `the gate answered with status ${status}` : said }
}

/** The answer to one event, to be printed. */
async function answer(client, event, { socket, wait_s = 0, project }) {
  const read = readEvent(client, event)
  if (read === undefined) return {}
  try {
    const said = await ask(socket, client, requestFor(client, read, { wait_s, folders: foldersOf(event, project) }))
    if (read.kind === 'before') return answerFor(client, read.name, withPrefix(decisionIn(said)))
    // Messages and outputs are recorded. A failure to record them does not affect a call that has already run.
    if (said.status !== 200) print(2, `sluice: not recorded (${decisionIn(said).reason})`)
  } catch (error) {
    if (read.kind === 'before')
      return answerFor(client, read.name, withPrefix({ decision: 'block', reason: error.message }))
  }
  return client === 'cursor' && read.kind === 'prompt' ? { continue: true } : {}
}

async function main([client, ...options]) {
  const option = (name) => (options.includes(name) ? options[options.indexOf(name) + 1] : undefined)
  const socket = option('--socket') ?? socketIn(option('--data'), option('--config'))
  if (!Object.hasOwn(EVENTS, client ?? '')) {
    const clients = Object.keys(EVENTS).join(', ')
    if (client === 'opencode')
      print(2, 'opencode has no hook commands: `sluice init --write --hooks` installs a plugin instead')
    else if (client !== undefined && !client.startsWith('-'))
      print(2, `\`${client}\` is not a known client; known: ${clients}`)
    print(
      2,
      `usage: sluice hook CLIENT [--socket PATH] [--wait SECONDS], the event on standard input; clients: ${clients}`,
    )
    return 2
  }
  const wait_s = Number(option('--wait') ?? 0)
  if (!(wait_s >= 0)) {
    print(2, `--wait: \`${option('--wait')}\` is not a number of seconds, so the call is refused`)
    return 2
  }
  const event = readInput(readFileSync(0))
  if (event === undefined) {
    print(2, 'sluice: the event is not a JSON object, so the call is refused')
    return 2
  }
  // Copilot's events do not contain their own name.
  const named = text(event.hook_event_name, event.hookEventName, event.eventName) === undefined
  const given = named ? { ...event, hook_event_name: option('--event') } : event
  const said = await answer(client, given, { socket, wait_s, project: process.env.AGENT_PROJECT })
  // The installed line accepts only an answer that repeats its nonce.
  print(1, `${option('--nonce') ?? ''}${JSON.stringify(said)}`)
  return 0
}

/** The gate of this folder, or of the configuration that was named. */
function socketIn(data, config) {
  const { dirname, join } = require('node:path')
  const folder = data ?? join(config === undefined ? '.' : dirname(config), '.sluice')
  return join(folder, 'gate.sock')
}

/** Without a Node stream, which takes longer to set up than the line takes to write. */
function print(to, line) {
  let rest = Buffer.from(`${line}\n`)
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(to, rest))
    } catch (error) {
      // The client's pipe is full: the rest follows when it has read some.
      if (error.code !== 'EAGAIN') throw error
    }
  }
}

function readInput(bytes) {
  try {
    const event = bytes.length > LONGEST_EVENT ? undefined : JSON.parse(bytes.toString('utf8'))
    return isObject(event) ? event : undefined
  } catch {
    return undefined
  }
}

const withPrefix = (said) => ({ ...said, reason: `sluice: ${said.reason ?? 'approved'}` })

if (require.main === module) {
  main(process.argv.slice(2)).then(
    (code) => process.exit(code),
    (error) => {
      print(2, `sluice: ${error.message}`)
      process.exit(2)
    },
  )
}

module.exports = { answer, main }
