import type { Call } from '../../kernel/contract/call.ts'
import { isJsonObject } from '../../kernel/contract/json.ts'
import type { Tool } from '../../kernel/contract/tool.ts'
import { argsOf } from '../../kernel/attempt/call-args.ts'
import { valueAt } from '../../kernel/attempt/standard/template.ts'
import type { CommandReading } from '../../kernel/decide/as-called.ts'
import { readShell } from './read-shell.ts'
import { effectsOfReading, type ShellReading } from './shell-reading.ts'

type Called = Pick<Call, 'canonical_args'>

/** Cached per call, because several deciders use it. */
const READINGS = new WeakMap<Called, ShellReading & CommandReading>()

/**
 * What the shell command in a call does; undefined if the tool takes no command. A command that is not a string cannot be parsed.
 */
export function shellReading(tool: Pick<Tool, 'shell'>, call: Called): (ShellReading & CommandReading) | undefined {
  if (tool.shell === undefined) return undefined
  const known = READINGS.get(call)
  if (known !== undefined) return known
  const args = argsOf(call)
  const command = valueAt(args, tool.shell)
  const cwd = isJsonObject(args) && typeof args['cwd'] === 'string' ? args['cwd'] : undefined
  const read = typeof command === 'string' ? readShell(command, cwd) : NO_TEXT
  const reading = { ...read, effects: effectsOfReading(read) }
  READINGS.set(call, reading)
  return reading
}

const NO_TEXT: ShellReading = {
  parts: [],
  forbidden: [],
  secrets: [],
  unknown: ['a command that is not a string'],
  addresses: [],
  paths: [],
  written: [],
  run: [],
  trees: [],
  folders: [],
}
