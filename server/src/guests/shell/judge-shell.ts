import type { Call } from '../../kernel/contract/call.ts'
import type { Tool } from '../../kernel/contract/tool.ts'
import { NO_OPINIONS, type Opinion } from '../../kernel/contract/verdict.ts'
import type { ShellEffect } from './program.ts'
import type { ShellReading } from './shell-reading.ts'
import { programOf } from './table.ts'
import { shellReading } from './shell-command.ts'
import type { Facts } from '../../kernel/decide/facts.ts'
import type { Policy } from '../../kernel/policy/policy.ts'

/** More parts than this are not listed; the request itself shows them all. */
const MOST_PARTS = 12

/**
 * Judges a shell command part by part. Rules decide about known parts, because their effects are facts of the call. This decider
 * asks about unknown parts and secrets, and blocks what a person should never have to be asked about.
 */
export const judgeShell = (_policy: Policy, call: Call, facts: Facts): readonly Opinion[] =>
  planShell(facts.tool)?.(call, facts) ?? NO_OPINIONS

/** Most tools take no command. */
export const planShell = ({ shell }: Tool) => (shell === undefined ? undefined : judgeCommand)

function judgeCommand(call: Call, facts: Facts): readonly Opinion[] {
  const reading = shellReading(facts.tool, call)
  if (reading === undefined) return NO_OPINIONS
  const value_at = `/${facts.tool.shell ?? ''}`
  const opinion = (effect: Opinion['effect'], rule: string, says: string): Opinion => ({
    decider: 'shell',
    effect,
    rule,
    says,
    source: 'table of shell commands',
    at: facts.now,
    value_at,
    ...(effect === 'ask' ? { strength: 'strong' as const } : {}),
  })
  return [
    ...reading.forbidden.map(({ rule, says }) => opinion('block', rule, `the command ${says}`)),
    ...reading.secrets.map((kind) => opinion('ask', 'shell.secrets', `the command accesses ${kind}`)),
    ...(isUnknown(reading) ? [opinion('ask', 'shell.unknown', `not known: ${whatIsUnknown(reading)}`)] : []),
    ...describedParts(reading).map((says) => opinion('allow', 'shell.part', says)),
  ]
}

const isUnknown = ({ unknown, parts }: ShellReading) =>
  unknown.length > 0 || parts.length === 0 || parts.some(({ does }) => does.includes('unknown'))

function whatIsUnknown({ unknown, parts }: ShellReading): string {
  if (unknown.length > 0) return unknown.join('; ')
  return parts.length === 0 ? 'a command without parts' : 'what a part of the command does'
}

/** `1. git reads; 2. curl sends data to other machines`. Only names from the command table are repeated. */
function describedParts({ parts }: ShellReading): readonly string[] {
  if (parts.length === 0) return []
  const said = parts
    .slice(0, MOST_PARTS)
    .map(({ program, does }, at) => `${at + 1}. ${nameOf(program)} ${sayShellEffects(does)}`)
  const rest = parts.length > MOST_PARTS ? [`and ${parts.length - MOST_PARTS} more parts`] : []
  return [[...said, ...rest].join('; ')]
}

const nameOf = (program: string) =>
  programOf(program) !== undefined || /^[<>&|]+$/.test(program) ? `\`${program}\`` : 'a program'

const SAID: Readonly<Record<ShellEffect, string>> = {
  reads: 'reads',
  fetches: 'reads from the network',
  writes: 'writes',
  destroys: 'destroys',
  sends: 'reaches other machines',
  runs: 'runs other code',
  escalates: 'acts with elevated rights',
  unknown: 'has unknown effects',
}

/** What a part does, in words; reading is mentioned only if it does nothing else. */
export function sayShellEffects(does: readonly ShellEffect[]): string {
  const more = does.filter((doing) => doing !== 'reads')
  return (more.length === 0 ? ['reads' as const] : more).map((doing) => SAID[doing]).join(', ')
}
