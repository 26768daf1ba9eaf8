import { issueWords } from '../../kernel/contract/issue-lines.ts'
import type { z } from 'zod'
import { nearest } from '../../kernel/text/nearest.ts'
import { type DocumentFault, listIn, mapIn, textIn, type DocumentPlace } from './raw-document.ts'
import { STEP_FIELDS, STEP_NAMES } from './steps/steps.ts'
import { LONGEST_DOCUMENT, WorkflowDocument, DocumentConstraint } from './workflow-document.ts'
import { checkProtocols } from './check-protocols.ts'
import { checkSchemas } from './check-schemas.ts'
import { locateDocument, type LocatedDocument } from './locate-document.ts'
import { conditionOf } from './capabilities.ts'
import { parseSchedule } from './cron.ts'

export type ReadDocument =
  | { readonly ok: true; readonly document: WorkflowDocument }
  | { readonly ok: false; readonly faults: readonly DocumentFault[] }

/** How many faults are reported. */
const MOST_FAULTS = 200

/** Parses a document. All mistakes are found, in text order. Pure and total. */
export function readDocument(text: string): ReadDocument {
  if (text.length > LONGEST_DOCUMENT)
    return failed([{ line: 1, column: 1, path: '', says: `a document has at most ${LONGEST_DOCUMENT} characters` }])
  const located = locateDocument(text)
  if (located.value === undefined) return failed(located.faults)
  if (typeof located.value !== 'object' || located.value === null || Array.isArray(located.value))
    return failed([located.at([], 'a document is a map that begins with `apiVersion: gosuto/v1`')])
  const read = WorkflowDocument.safeParse(located.value)
  const faults = [
    ...located.faults,
    ...(read.success ? [] : read.error.issues.flatMap((issue) => faultsOf(issue, located))),
    ...checkTrust(located),
    ...checkGateways(located),
    ...checkSchemas(located),
    ...checkProtocols(located),
  ]
  if (faults.length > 0) return failed(faults)
  if (!read.success) return failed([located.at([], 'the document cannot be read')])
  return { ok: true, document: read.data }
}

function failed(faults: readonly DocumentFault[]): ReadDocument {
  const known = new Map(faults.map((fault) => [`${fault.line}:${fault.column}:${fault.path}:${fault.says}`, fault]))
  const sorted = [...known.values()].sort((a, b) => a.line - b.line || a.column - b.column)
  return { ok: false, faults: sorted.slice(0, MOST_FAULTS) }
}

type Issue = z.core.$ZodIssue

function faultsOf(issue: Issue, located: LocatedDocument, above: DocumentPlace = []): DocumentFault[] {
  const path = [...above, ...issue.path.map((step) => (typeof step === 'number' ? step : String(step)))]
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => located.atKey(path, key, `unknown field \`${shorten(key)}\`${meant(key, path)}`))
  if (issue.code === 'invalid_union') {
    // `unknown step type` says more, and is reported where protocols are checked.
    if (issue.errors.length === 0) return isStepType(path) ? [] : [located.at(path, `write one of ${optionsOf(issue)}`)]
    const value = valueAt(located.value, path)
    const branches = issue.errors.filter(
      (errors) => !errors.some(({ code, path: at }) => code === 'invalid_type' && at.length === 0),
    )
    const chosen = branches[0] ?? issue.errors[0] ?? []
    return value === undefined
      ? [located.at(path, 'missing')]
      : chosen.flatMap((inner) => faultsOf(inner, located, path))
  }
  if (issue.code === 'invalid_key' || issue.code === 'invalid_element')
    return issue.issues.flatMap((inner) => faultsOf({ ...inner, path: [] }, located, path))
  return [located.at(path, plainly(issue, valueAt(located.value, path)))]
}

const isStepType = (path: DocumentPlace) => path.at(-1) === 'type' && path.at(-3) === 'steps'

const optionsOf = (issue: Extract<Issue, { code: 'invalid_union' }>): string =>
  'options' in issue && Array.isArray(issue.options)
    ? issue.options.map((one) => `\`${String(one)}\``).join(', ')
    : 'the known types'

function plainly(issue: Issue, value: unknown): string {
  if (value === undefined) return 'missing'
  if (issue.code === 'invalid_type') return `must be ${ARTICLES[issue.expected] ?? issue.expected}`
  if (issue.code === 'invalid_value')
    return `write ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map((one) => `\`${String(one)}\``).join(', ')}`
  return issueWords(issue)
}

const ARTICLES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: '`true` or `false`',
  array: 'a list',
  object: 'a map',
  record: 'a map',
}

/** The known fields in places where people mistype them. */
function meant(key: string, path: DocumentPlace): string {
  const known =
    path.length === 0
      ? Object.keys(WorkflowDocument.shape)
      : path.at(-2) === 'steps'
        ? [...STEP_FIELDS, ...STEP_NAMES]
        : (SECTION_FIELDS[String(path[0])] ?? [])
  const near = nearest(key, known)
  return near === undefined || near === key ? '' : `; perhaps \`${near}\``
}

const SECTION_FIELDS: Readonly<Record<string, readonly string[]>> = {
  metadata: ['name', 'template', 'canonicalName', 'description'],
  trust: [
    'allowedRooms',
    'allowedSenders',
    'adminRoom',
    'requireE2EE',
    'trustedPeers',
    'mxid',
    'roomId',
    'alias',
    'protocols',
  ],
  limits: [
    'maxRequestsPerMinute',
    'maxTokensPerRequest',
    'maxConcurrentRequests',
    'maxMonthlyCostUSD',
    'maxEventsPerMinute',
  ],
  capabilities: ['name', 'mcp', 'tool', 'allow', 'requireApproval', 'constraints'],
  approvals: ['enabled', 'room', 'approvers', 'ttlSeconds', 'transport'],
  mcps: ['name', 'command', 'url', 'args', 'env', 'autoRestart'],
  gateways: ['name', 'type', 'config', 'schedule', 'timezone', 'event', 'message', 'data', 'auth', 'secret'],
  secrets: ['name', 'envVar', 'required'],
  messaging: ['allowedTargets', 'maxMessagesPerMinute', 'roomId', 'alias'],
  workflow: ['schemas', 'protocols', 'id', 'trigger', 'inputSchemaRef', 'retries', 'steps', 'type', 'prefix'],
}

export function valueAt(value: unknown, path: DocumentPlace): unknown {
  let at = value
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
    at = (at as Record<string | number, unknown>)[step]
  }
  return at
}

const shorten = (text: string) => (text.length > 60 ? `${text.slice(0, 57)}…` : text)

/** One line for a terminal: where, what is wrong, and at which path. */
export const spellFault = (file: string, { line, column, path, says }: DocumentFault): string =>
  `${file}:${line}:${column}: ${says}${path === '' ? '' : ` (at ${path})`}`

/** Checks for peers that are duplicates or could never trigger anything, and targets with a duplicate alias. */
function checkTrust(located: LocatedDocument): DocumentFault[] {
  const trust = mapIn(located.value, 'trust')
  const rooms = listIn(trust, 'allowedRooms')
  const seen = new Set<string>()
  const faults: DocumentFault[] = []
  for (const [index, peer] of listIn(trust, 'trustedPeers').entries()) {
    const path = ['trust', 'trustedPeers', index]
    const [mxid, room] = [textIn(peer, 'mxid'), textIn(peer, 'roomId')]
    if (room !== undefined && rooms.length > 0 && !rooms.includes('*') && !rooms.includes(room))
      faults.push(
        located.at(
          [...path, 'roomId'],
          `allowedRooms does not admit the room \`${room}\`: this peer could never start anything`,
        ),
      )
    for (const [at, protocol] of listIn(peer, 'protocols').entries()) {
      const key = JSON.stringify([mxid, room, protocol])
      if (seen.has(key))
        faults.push(
          located.at(
            [...path, 'protocols', at],
            `duplicate trusted peer: \`${String(mxid)}\` in \`${String(room)}\` for \`${String(protocol)}\``,
          ),
        )
      seen.add(key)
    }
  }
  return [...faults, ...twice(located, ['messaging', 'allowedTargets'], 'alias', 'two targets have the alias')]
}

/** Entries of a list that have the same name as an earlier one. */
function twice(
  located: LocatedDocument,
  at: readonly [string, string] | readonly [string],
  key: string,
  says: string,
): DocumentFault[] {
  const [section, inner] = at
  const list = inner === undefined ? listIn(located.value, section) : listIn(mapIn(located.value, section), inner)
  const seen = new Set<string>()
  return list.flatMap((one, index) => {
    const name = textIn(one, key)
    if (name === undefined) return []
    const isTwice = seen.has(name)
    seen.add(name)
    return isTwice ? [located.at([...at, index, key], `${says} \`${name}\``)] : []
  })
}

/** Checks for invalid schedules, undeclared secrets, duplicate names and constraints that cannot hold. */
function checkGateways(located: LocatedDocument): DocumentFault[] {
  const secrets = new Set(listIn(located.value, 'secrets').map((one) => textIn(one, 'name')))
  const faults: DocumentFault[] = []
  for (const [index, gateway] of listIn(located.value, 'gateways').entries()) {
    const config = mapIn(gateway, 'config')
    const at = (key: string, says: string) => faults.push(located.at(['gateways', index, 'config', key], says))
    const schedule = textIn(config, 'schedule')
    if (textIn(gateway, 'type') === 'cron' && schedule !== undefined) {
      const parsed = parseSchedule(schedule)
      if (!parsed.ok) at('schedule', parsed.says)
    }
    const secret = textIn(config, 'secret')
    if (textIn(gateway, 'type') === 'webhook' && secret !== undefined && !secrets.has(secret))
      at('secret', `no entry of \`secrets\` is called \`${secret}\``)
  }
  for (const [index, capability] of listIn(located.value, 'capabilities').entries())
    for (const [argument, wanted] of Object.entries(mapIn(capability, 'constraints'))) {
      const read = DocumentConstraint.safeParse(wanted)
      const condition = read.success ? conditionOf({ [argument]: read.data }) : undefined
      if (condition?.ok === false)
        faults.push(located.at(['capabilities', index, 'constraints', argument], condition.says))
    }
  return [
    ...faults,
    ...twice(located, ['gateways'], 'name', 'two gateways are called'),
    ...twice(located, ['secrets'], 'name', 'two secrets are called'),
    ...twice(located, ['mcps'], 'name', 'two servers are called'),
    ...twice(located, ['capabilities'], 'name', 'two capabilities are called'),
  ]
}
