import type { Call } from '../contract/call.ts'
import { isJsonObject } from '../contract/json.ts'
import type { Tool } from '../contract/tool.ts'
import { riskClassOf } from '../catalogue/effects.ts'
import { readShell } from '../../guests/shell/read-shell.ts'
import { effectsOfReading, type ShellReading } from '../../guests/shell/shell-reading.ts'
import { argsOf } from '../attempt/call-args.ts'
import { valueAt } from '../attempt/value-at.ts'

type Called = Pick<Call, 'canonical_args'>

/** Cached per call, because several deciders use it. */
const READINGS = new WeakMap<Called, ShellReading>()

/**
 * What the shell command in a call does; undefined if the tool takes no command. A command that is not a string cannot be parsed.
 */
export function shellReading(tool: Pick<Tool, 'shell'>, call: Called): ShellReading | undefined {
  if (tool.shell === undefined) return undefined
  const known = READINGS.get(call)
  if (known !== undefined) return known
  const args = argsOf(call)
  const command = valueAt(args, tool.shell)
  const cwd = isJsonObject(args) && typeof args['cwd'] === 'string' ? args['cwd'] : undefined
  const reading = typeof command === 'string' ? readShell(command, cwd) : NO_TEXT
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

/**
 * The tool with the effects of this particular call. A shell tool can do anything, so rules are evaluated against what this
 * command does.
 */
export function asCalled(tool: Tool, call: Called): Tool {
  const reading = shellReading(tool, call)
  if (reading === undefined) return tool
  const effects = effectsOfReading(reading)
  return { ...tool, effects, risk: riskClassOf(effects, tool.tags ?? []) }
}
