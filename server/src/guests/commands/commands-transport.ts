import type { NamedServer, ProcessServer } from '../../adapters/upstream/server-kind.ts'
import type { CommandsSettings, CommandParam, CommandSettings } from './command-settings.ts'
import type { ToolReply, UpstreamCall } from '../../kernel/ports/upstream.ts'
import type { ToolResult } from '../../kernel/contract/call.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { problem } from '../../kernel/contract/problems.ts'
import type { Connection } from '../../adapters/upstream/connection.ts'
import { isTooDeep } from '../../adapters/upstream/messages.ts'
import { createLifetime } from '../../adapters/upstream/http/lifetime.ts'
import { lost, notSent } from '../../adapters/upstream/pending-calls.ts'
import { singleCall } from '../../adapters/upstream/single-call.ts'
import { removeSecrets } from '../../adapters/upstream/remove-secrets.ts'
import type { ServerTransport } from '../../adapters/upstream/transport.ts'
import { fillCommand } from './fill-command.ts'
import { runProgram, type EndedProgram, type Running } from './run-program.ts'
import type { ToolDefinition } from '../../kernel/contract/tool.ts'

export type CommandsServer = Omit<CommandsSettings, 'tools' | 'cwd' | 'user'> & NamedServer & ProcessServer

/** Declared programs as a tool server: each call is one process. The values of the configured environment count as secrets. */
export function commandsTransport(config: CommandsServer, grace_ms: number): ServerTransport {
  const { name: server, output_limit } = config
  const hide = (says: string) => removeSecrets(Object.values(config.env), says)
  const tools = Object.entries(config.commands).map(([name, command]) => commandTool(name, command))

  function start(command: CommandSettings, call: UpstreamCall): Running | ToolReply {
    const args = JSON.parse(call.canonical_args) as Json
    const filled = fillCommand(command, isJsonObject(args) ? args : {})
    if (!filled.ok) return { is: 'not_sent', problem: problem('call.args_invalid', { server, paths: filled.says }) }
    return runProgram({
      ...filled,
      cwd: config.cwd,
      env: { ...config.env, SLUICE_IDEMPOTENCY_KEY: call.idempotency_key, SLUICE_TRACE_ID: call.trace },
      ...(config.data === undefined ? {} : { data: config.data }),
      ...(config.run_as === undefined ? {} : { run_as: config.run_as }),
      output_limit,
      grace_ms,
    })
  }

  function answerOf(command: CommandSettings, ended: EndedProgram): ToolReply {
    switch (ended.is) {
      case 'not_started':
        return notSent(server, hide(ended.says))
      case 'too_large':
        return lost(server, 'tool.too_large', { limit: String(output_limit) })
      case 'killed':
        return lost(server, 'tool.broke_off', { how: `signal ${ended.signal}` })
      default:
        return { is: 'answered', result: resultOf(command, ended, hide) }
    }
  }

  return {
    async connect({ onStart, onListed }) {
      onStart()
      try {
        await onListed(server, tools)
      } catch (error) {
        return { is: 'failed', says: String(error) }
      }
      const running = new Set<Running>()
      const life = createLifetime(() => {
        for (const each of running) each.kill()
      })

      const call: Connection['call'] = (call) => {
        const command = Object.hasOwn(config.commands, call.tool) ? config.commands[call.tool] : undefined
        if (command === undefined) return Promise.resolve(notSent(server, 'no such command is configured'))
        if (!life.isUsable()) return Promise.resolve(notSent(server, 'the server was stopped'))
        let process: Running | undefined
        return singleCall({ name: server, timeout_ms: command.timeout_ms ?? config.timeout_ms }, call, {
          async start() {
            const started = start(command, call)
            if ('is' in started) return started
            process = started
            running.add(started)
            const ended = await started.ended
            running.delete(started)
            return answerOf(command, ended)
          },
          cancel() {
            process?.kill()
            return { unsent: process === undefined }
          },
        })
      }

      const close = async () => {
        life.end('closed')
        await Promise.all([...running].map((each) => each.ended))
      }
      const connection: Connection = {
        legacy: false,
        ended: life.ended,
        isUsable: () => life.isUsable(),
        call,
        tools: () => tools.length,
        late: () => 0,
        kill: () => life.end('stopped because it no longer answered'),
        close,
      }
      return { is: 'open', connection }
    },
    stderr: () => [],
    hide,
  }
}

type Exited = Extract<EndedProgram, { is: 'exited' }>

function resultOf(
  command: CommandSettings,
  { code, stdout, stderr }: Exited,
  hide: (text: string) => string,
): ToolResult {
  const text = hide(stdout.toString())
  if (!command.exit_ok.includes(code)) {
    const said = [text, hide(stderr)].map((part) => part.trimEnd()).filter((part) => part !== '')
    return { content: [{ type: 'text', text: [`exit code ${code}`, ...said].join('\n') }], isError: true }
  }
  if (command.output === 'text') return { content: [{ type: 'text', text }] }
  const value = parsed(text)
  if (value === undefined)
    return {
      content: [{ type: 'text', text: `it ran (exit code ${code}), but did not print JSON:\n${text}` }],
      isError: true,
    }
  return {
    content: [{ type: 'text', text }],
    ...(isJsonObject(value) && !isTooDeep(value) ? { structuredContent: value } : {}),
  }
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** A declared command as a tool. The operator declares its effects, so there are no hints here. */
function commandTool(name: string, { title, description, params }: CommandSettings): ToolDefinition {
  const required = Object.entries(params)
    .filter(([, param]) => param.required && param.default === undefined)
    .map(([param]) => param)
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(Object.entries(params).map(([param, about]) => [param, schemaOf(about)])),
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false,
    },
  }
}

function schemaOf({ required: _required, dash: _dash, items, ...schema }: CommandParam): JsonObject {
  return JSON.parse(
    JSON.stringify({ ...nonEmpty(schema), ...(items === undefined ? {} : { items: nonEmpty(items) }) }),
  ) as JsonObject
}

/** An empty argument is rarely intended, and many programs interpret it differently. */
const nonEmpty = <T extends { readonly type: string; readonly minLength?: number | undefined }>(schema: T): T =>
  schema.type === 'string' && schema.minLength === undefined ? { ...schema, minLength: 1 } : schema
