import { z } from 'zod'
import { argumentsText } from '../../kernel/contract/consent-text.ts'
import { Constraint } from '../../kernel/contract/consent.ts'
import { fieldsOf, textOf, type PrintedFields } from './print.ts'

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** Converts `90s`, `30m`, `2h`, `7d` to seconds; undefined for anything else. */
export function secondsOf(text: string): number | undefined {
  const [, amount, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  return amount === undefined || unit === undefined ? undefined : Number(amount) * (SECONDS[unit] ?? 0)
}

/** `10 calls for 2h`, or the bounds as JSON, which is passed on unchanged. */
export function boundsOf(text: string): object | undefined {
  if (text.trimStart().startsWith('{')) return objectOf(text)
  const [, calls, span] = /^(\d{1,9}) calls? for (\S+)$/.exec(text.trim()) ?? []
  const expires_in_s = secondsOf(span ?? '')
  return calls === undefined || expires_in_s === undefined ? undefined : { calls: Number(calls), expires_in_s }
}

/** `/to equals "bob"`, `/subject any`: a JSON pointer, a comparison and a value; a value that is not JSON is that text. */
export function constraintOf(text: string): object | undefined {
  const [, path, op, value] = /^(\/\S*) ([a-z]+)(?: (.*))?$/s.exec(text) ?? []
  if (path === undefined || op === undefined) return undefined
  return value === undefined ? { path, op } : { path, op, value: valueOf(value) }
}

/** What the consent permits and leaves open: `to` must be "bob"; a call with any other argument is still held. */
export function boundsWords(consent: PrintedFields): string {
  const { args, definition_hash } = fieldsOf(consent['what'])
  const constraints = z.array(Constraint).safeParse(args)
  const lanes = Array.isArray(consent['lanes']) ? [`only on the lanes ${consent['lanes'].map(textOf).join(' ')}`] : []
  const definition =
    definition_hash === undefined ? [] : [`only while its definition is ${textOf(definition_hash).slice(0, 12)}`]
  return [...(constraints.success ? [argumentsText(constraints.data)] : []), ...lanes, ...definition].join('; ')
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function objectOf(text: string): object | undefined {
  const value = valueOf(text)
  return typeof value === 'object' && value !== null ? value : undefined
}
