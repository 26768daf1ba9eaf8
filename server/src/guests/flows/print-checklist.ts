import {
  count,
  fieldsOf,
  itemsOf,
  table,
  textOf,
  type PrintedFields,
  type Out,
  type Tone,
} from '../../adapters/cli/print.ts'

/** Prints flows and their runs. */

const listIn = (value: unknown): readonly PrintedFields[] => (Array.isArray(value) ? value.map(fieldsOf) : [])
const minuteOf = (value: unknown): string => textOf(value).slice(0, 16).replace('T', ' ')

const MARKS: Readonly<Record<string, string>> = {
  pending: '[ ]',
  in_progress: '[>]',
  blocked: '[!]',
  done: '[x]',
  skipped: '[-]',
}
const TONES: Readonly<Record<string, Tone>> = { done: 'good', in_progress: 'held', blocked: 'bad', skipped: 'quiet' }

export function printFlows(out: Out, body: PrintedFields): void {
  const flows = listIn(body['flows'])
  if (flows.length === 0) return out.line('no flows; import one with `sluice flow import FILE`')
  table(out, [
    ['FLOW', 'VERSION', 'SCOPE', 'STEPS', 'TITLE'],
    ...flows.map((flow) => [
      textOf(flow['flow_id']),
      textOf(flow['version']),
      textOf(flow['scope']),
      String(listIn(flow['steps']).length),
      textOf(flow['title']),
    ]),
  ])
}

export function printSteps(out: Out, body: PrintedFields): void {
  const flow = fieldsOf(body['flow'])
  out.line(
    `${textOf(flow['title'])} (${textOf(flow['flow_id'])} ${textOf(flow['version'])}, ${textOf(flow['scope'])})`,
    'head',
  )
  if (textOf(flow['summary']) !== '') out.framed(textOf(flow['summary']), { indent: 2 })
  for (const step of listIn(body['steps'])) {
    const { kind, evidence_required } = fieldsOf(step['verification'])
    const needs = evidence_required === true ? `, needs ${textOf(kind)}` : ''
    out.line(`  ${textOf(step['ordinal'])}. ${textOf(step['owned_job'])} (${textOf(step['automatable'])}${needs})`)
  }
}

export function printRuns(out: Out, body: PrintedFields): void {
  const runs = listIn(body['runs'])
  if (runs.length === 0) out.line('no runs')
  else
    table(out, [
      ['RUN', 'FLOW', 'VERSION', 'STATUS', 'STEPS', 'STARTED'],
      ...runs.map((run) => {
        const states = listIn(run['step_states'])
        const closed = states.filter(({ status }) => status === 'done' || status === 'skipped').length
        return [
          textOf(run['run_id']),
          textOf(run['flow_id']),
          textOf(run['flow_version']),
          textOf(run['status']),
          `${closed}/${states.length}`,
          minuteOf(run['started']),
        ]
      }),
    ])
  if (body['next_cursor'] !== undefined) out.line(`more: --cursor ${textOf(body['next_cursor'])}`)
}

export function printRunLine(out: Out, run: PrintedFields): void {
  out.line(`  ${textOf(run['run_id'])} is ${textOf(run['status'])}, etag ${textOf(run['etag'])}`)
}

export function printChecklist(out: Out, body: PrintedFields): void {
  const run = fieldsOf(body['run'])
  const states = listIn(run['step_states'])
  const steps = listIn(body['steps'])
  const history = listIn(body['history'])
  const version = `${textOf(run['flow_id'])} ${textOf(run['flow_version'])}`
  out.line(`${textOf(body['title'])}: ${textOf(run['status'])}`, 'head')
  out.line(`  ${textOf(run['run_id'])}, ${version}, ${textOf(run['scope'])}, etag ${textOf(run['etag'])}`, 'quiet')
  for (const [at, state] of states.entries()) {
    const step = steps[at] ?? {}
    const status = textOf(state['status'])
    const who = history.findLast(({ step_id }) => step_id === state['step_id'])
    const by = who === undefined ? '' : `  ${textOf(who['by'])}, ${minuteOf(who['at'])}`
    out.line(`  ${MARKS[status] ?? '[?]'} ${at + 1}. ${textOf(step['owned_job'])}${by}`, TONES[status])
    for (const line of detailsOf(state, step)) out.line(`        ${line}`, 'quiet')
  }
  for (const consent of listIn(body['consents'])) out.line(`  ${consentLine(consent)}`)
}

function detailsOf(state: PrintedFields, step: PrintedFields): string[] {
  const { kind, evidence_required } = fieldsOf(step['verification'])
  const { evidence_ref, pointer_kind, verified, skip_reason, status } = state
  const isOpen = status !== 'done' && status !== 'skipped'
  return [
    ...(typeof evidence_ref === 'string'
      ? [`${textOf(pointer_kind)} ${evidence_ref}, ${verified === true ? 'verified' : 'not verified'}`]
      : []),
    ...(typeof skip_reason === 'string' ? [`skipped: ${skip_reason}`] : []),
    ...(isOpen && evidence_required === true && verified !== true ? [`done needs ${textOf(kind)}`] : []),
  ]
}

function consentLine(consent: PrintedFields): string {
  const cap = Number(consent['cost_cap_units'])
  const left = cap - Number(consent['cost_consumed_units'])
  const end = typeof consent['revoked_at'] === 'string' ? 'revoked' : `until ${minuteOf(consent['expires_at'])}`
  return `consent ${textOf(consent['consent_id'])}: ${left} of ${count(cap, 'unit')} left, ${end}, by ${textOf(consent['minted_by'])}`
}

export function printProposals(out: Out, body: PrintedFields): void {
  const proposals = itemsOf(body)
  if (proposals.length === 0) return out.line('nothing to review')
  for (const proposal of proposals) printProposal(out, proposal)
}

export function printProposal(out: Out, proposal: PrintedFields): void {
  const { proposal_id, state, evaluation, flow_title, step_title, proposed_by, intent } = proposal
  out.line(`${textOf(proposal_id)}: ${textOf(state)}, evaluation ${textOf(evaluation)}`, 'head')
  const of = typeof step_title === 'string' ? `${textOf(flow_title)}, ${step_title}` : textOf(flow_title)
  out.line(`  ${of}, by ${textOf(proposed_by)}`)
  out.framed(textOf(intent), { indent: 2, most: 10 })
  for (const { id, asks, answer } of listIn(proposal['rubric']))
    out.line(`  ${answer === true ? 'yes' : answer === false ? 'no ' : ' ? '} ${textOf(id)}: ${textOf(asks)}`)
}
