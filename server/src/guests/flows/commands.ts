import type { Command } from 'commander'
import {
  printChecklist,
  printFlows,
  printProposal,
  printProposals,
  printRuns,
  printRunLine,
  printSteps,
} from './print-checklist.ts'
import { PASSPHRASE_FILE, sendProven, type WithPassphrase } from '../../adapters/cli/passphrase-commands.ts'
import { readText } from '../../adapters/cli/json-argument.ts'
import { fieldsOf, printReply, textOf, type PrintedFields } from '../../adapters/cli/print.ts'
import type { GateResponse } from '../../adapters/cli/client.ts'
import type { Cli } from '../../adapters/cli/cli.ts'

type Options = Readonly<Record<string, string | readonly string[] | boolean | undefined>>

/** Flows: import them, start runs, work through their steps, mint consents, execute, review. */
export function addFlowCommands(program: Command, cli: Cli): void {
  const flow = program.command('flow').description('written procedures that people and agents work through together')
  addProcedures(flow, cli)
  addRuns(flow, cli)
  addExecution(flow, cli)
  addReviews(flow, cli)
}

const VAULT = ['--vault <vault>', 'the vault (default: that of your key, or `default`)'] as const

function addProcedures(flow: Command, cli: Cli): void {
  flow
    .command('import <file>')
    .description('import a flow from a YAML or JSON bundle')
    .option(...VAULT)
    .action(async (file: string, options: Options) => {
      const source = readText(file)
      const reply = await cli.send('POST', `/api/v1/flows/import${vaultQuery(options)}`, { source })
      cli.exit(
        printReply(cli.out(), reply, (body) => {
          const { flow_id, version, title } = fieldsOf(body['flow'])
          cli.out().line(`imported ${textOf(flow_id)} ${textOf(version)}: ${textOf(title)}`, 'good')
        }),
      )
    })
  flow
    .command('list')
    .description('list the flows that you can see')
    .option(...VAULT)
    .action(async (options: Options) => {
      const reply = await cli.send('GET', `/api/v1/flows${vaultQuery(options)}`)
      cli.exit(printReply(cli.out(), reply, (body) => printFlows(cli.out(), body)))
    })
  flow
    .command('show <flow_id>')
    .description('show one flow and its steps')
    .option('--flow-version <version>', 'this version instead of the newest')
    .option(...VAULT)
    .action(async (id: string, options: Options) => {
      const query = queryOf({ version: options['flowVersion'], vault_id: options['vault'] })
      const reply = await cli.send('GET', `/api/v1/flows/${encodeURIComponent(id)}${query}`)
      cli.exit(printReply(cli.out(), reply, (body) => printSteps(cli.out(), body)))
    })
}

function addRuns(flow: Command, cli: Cli): void {
  flow
    .command('start <flow_id>')
    .description('start a run of a flow')
    .option('--flow-version <version>', 'this version instead of the newest')
    .option('--harness <name>', 'the name of the program that runs it (default hub)')
    .option('--task-ref <text>', 'the task it belongs to')
    .option('--external-ref <text>', 'its id in another system, such as a ticket')
    .option(...VAULT)
    .action(async (flow_id: string, options: Options) => {
      const { flowVersion: version, harness, taskRef: task_ref, externalRef: external_ref } = options
      const body = given({ flow_id, version, harness, task_ref, external_ref })
      const reply = await cli.send('POST', `/api/v1/flows/runs${vaultQuery(options)}`, body)
      await printAfter(cli, reply, options)
    })
  flow
    .command('runs')
    .description('list the runs that you can see, newest first')
    .option('--flow <flow_id>', 'only runs of this flow')
    .option('--status <status>', 'only runs with this status: in_progress, done or abandoned')
    .option('--limit <n>', 'maximum number to show')
    .option('--cursor <cursor>', 'the cursor printed by the previous page')
    .option(...VAULT)
    .action(async (options: Options) => {
      const { flow: flow_id, status, limit, cursor, vault: vault_id } = options
      const reply = await cli.send('GET', `/api/v1/flows/runs${queryOf({ flow_id, status, limit, cursor, vault_id })}`)
      cli.exit(printReply(cli.out(), reply, (body) => printRuns(cli.out(), body)))
    })
  flow
    .command('get <run_id>')
    .description('show one run as a checklist: steps, evidence, consents, and who did what')
    .option(...VAULT)
    .action(async (run_id: string, options: Options) => {
      const reply = await cli.send('GET', `${runPath(run_id)}/checklist${vaultQuery(options)}`)
      cli.exit(printReply(cli.out(), reply, (body) => printChecklist(cli.out(), body)))
    })
  flow
    .command('advance <run_id> <step> <status>')
    .description('set the status of a step (by id or number): in_progress, blocked, done or skipped')
    .option('--skip-reason <reason>', 'for skipped: policy, not_applicable or blocked_dependency')
    .option('--etag <etag>', 'refuse the change if the run has changed since this etag')
    .option(...VAULT)
    .action(async (run_id: string, step: string, status: string, options: Options) => {
      const { skipReason: skip_reason, etag } = options
      await act(cli, run_id, 'advance', options, async () =>
        given({ step_id: await stepId(cli, run_id, step, options), status, skip_reason, etag }),
      )
    })
  flow
    .command('evidence <run_id> <step> <pointer>')
    .description('attach evidence to a step; it is checked')
    .requiredOption('--kind <kind>', 'artifact, hash, test_result or proposal')
    .option('--etag <etag>', 'refuse the change if the run has changed since this etag')
    .option(...VAULT)
    .action(async (run_id: string, step: string, evidence_ref: string, options: Options) => {
      const { kind: pointer_kind, etag } = options
      await act(cli, run_id, 'evidence', options, async () =>
        given({ step_id: await stepId(cli, run_id, step, options), evidence_ref, pointer_kind, etag }),
      )
    })
  flow
    .command('abandon <run_id>')
    .description('end a run that will not be finished')
    .option('--reason <words>', 'the reason, for the record')
    .option('--etag <etag>', 'refuse the change if the run has changed since this etag')
    .option(...VAULT)
    .action(async (run_id: string, options: Options) => {
      const { reason, etag } = options
      await act(cli, run_id, 'abandon', options, async () => given({ reason, etag }))
    })
}

function addExecution(flow: Command, cli: Cli): void {
  flow
    .command('consent <run_id>')
    .description('grant a consent: you and your agents may execute steps of this run')
    .option('--lane <lanes...>', 'the model lanes that may be used')
    .option('--units <n>', 'how many units may be spent')
    .option('--ttl <seconds>', 'how long the consent is valid')
    .option('--etag <etag>', 'refuse the change if the run has changed since this etag')
    .option(...VAULT)
    .option(...PASSPHRASE_FILE)
    .action(async (run_id: string, options: Options & WithPassphrase) => {
      const { lane, units, ttl, etag, passphraseFile } = options
      const allowed_lanes = lane ?? []
      const body = given({ allowed_lanes, cost_cap_units: numberIn(units), ttl_seconds: numberIn(ttl), etag })
      const path = `${runPath(run_id)}/consents${vaultQuery(options)}`
      const reply = await sendProven(cli, path, passphraseFile, body)
      cli.exit(printReply(cli.out(), reply, (answer) => printConsent(cli, answer)))
    })
  flow
    .command('revoke <consent_id>')
    .description('revoke a consent')
    .option(...VAULT)
    .action(async (consent_id: string, options: Options) => {
      const path = `/api/v1/flows/consents/${encodeURIComponent(consent_id)}/revoke${vaultQuery(options)}`
      const reply = await cli.send('POST', path, {})
      cli.exit(printReply(cli.out(), reply, () => cli.out().line(`${consent_id} is revoked`)))
    })
  flow
    .command('execute <run_id> <step> <consent_id>')
    .description('let an agent execute a step under a consent')
    .option('--lane <lane>', 'the model lane (default local_default)')
    .option('--dry-run', 'only check: spend and store nothing')
    .option('--etag <etag>', 'refuse the change if the run has changed since this etag')
    .option(...VAULT)
    .action(async (run_id: string, step: string, consent_id: string, options: Options) => {
      const { lane: model_lane, dryRun: dry_run, etag } = options
      const step_id = await stepId(cli, run_id, step, options)
      const body = given({ step_id, consent_id, model_lane, dry_run, etag })
      const reply = await cli.send('POST', `${runPath(run_id)}/execute${vaultQuery(options)}`, body)
      cli.exit(
        printReply(cli.out(), reply, (answer) => {
          const { execution_id, status, cost_units, evidence_ref } = fieldsOf(answer['execution'])
          const dry = options['dryRun'] === true ? 'dry run: ' : ''
          cli
            .out()
            .line(
              `${dry}${textOf(execution_id)} ${textOf(status)}, ${textOf(cost_units)} units`,
              status === 'completed' ? 'good' : 'held',
            )
          if (typeof evidence_ref === 'string') cli.out().line(`  evidence: ${evidence_ref}`)
          printRunLine(cli.out(), fieldsOf(answer['run']))
        }),
      )
    })
}

function addReviews(flow: Command, cli: Cli): void {
  flow
    .command('review <run_id>')
    .description('submit a run, or the step that needs a review, to the review queue')
    .requiredOption('--intent <words>', 'what the reviewer should decide')
    .option('--step <step>', 'the step that the review is for')
    .option('--etag <etag>', 'refuse the change if the run has changed since this etag')
    .option(...VAULT)
    .action(async (run_id: string, options: Options) => {
      const { intent, step, etag } = options
      const step_id = typeof step === 'string' ? await stepId(cli, run_id, step, options) : undefined
      const body = given({ intent, step_id, etag })
      const reply = await cli.send('POST', `${runPath(run_id)}/review${vaultQuery(options)}`, body)
      cli.exit(printReply(cli.out(), reply, (answer) => cli.out().line(`submitted ${textOf(answer['proposal_id'])}`)))
    })
  flow
    .command('reviews')
    .description('list the review queue')
    .option('--state <state>', 'proposed, approved, discarded or all (default proposed)')
    .option(...VAULT)
    .action(async (options: Options) => {
      const query = queryOf({ state: options['state'] ?? 'proposed', vault_id: options['vault'] })
      const reply = await cli.send('GET', `/v1/proposals${query}`)
      cli.exit(printReply(cli.out(), reply, (body) => printProposals(cli.out(), body)))
    })
  flow
    .command('evaluate <proposal_id>')
    .description('answer the rubric of a proposal')
    .option('--yes <items...>', 'rubric items answered with yes')
    .option('--no <items...>', 'rubric items answered with no')
    .option('--needs-changes', 'send the proposal back for changes')
    .option('--note <words>', 'a note for the person who filed it')
    .option(...VAULT)
    .action(async (id: string, options: Options) => {
      const answers = { ...answersIn(options['yes'], true), ...answersIn(options['no'], false) }
      const body = given({ answers, needs_changes: options['needsChanges'], note: options['note'] })
      const reply = await cli.send('POST', `${proposalPath(id)}/evaluate${vaultQuery(options)}`, body)
      cli.exit(printReply(cli.out(), reply, (answer) => printProposal(cli.out(), answer)))
    })
  flow
    .command('approve <proposal_id>')
    .description('approve a proposal')
    .option('--waive <reason>', 'approve without a passed evaluation, for this reason')
    .option('--reason <words>', 'the reason, for the record')
    .option(...VAULT)
    .action((id: string, options: Options) => decide(cli, id, 'approve', options))
  flow
    .command('discard <proposal_id>')
    .description('discard a proposal')
    .option('--reason <words>', 'the reason, for the record')
    .option(...VAULT)
    .action((id: string, options: Options) => decide(cli, id, 'discard', options))
}

async function decide(cli: Cli, id: string, decision: string, options: Options): Promise<void> {
  const body = given({ decision, waive: options['waive'], reason: options['reason'] })
  const reply = await cli.send('POST', `${proposalPath(id)}/decide${vaultQuery(options)}`, body)
  cli.exit(printReply(cli.out(), reply, (answer) => printProposal(cli.out(), answer)))
}

async function act(
  cli: Cli,
  run_id: string,
  verb: string,
  options: Options,
  body: () => Promise<object>,
): Promise<void> {
  const reply = await cli.send('POST', `${runPath(run_id)}/${verb}${vaultQuery(options)}`, await body())
  await printAfter(cli, reply, options)
}

/** Prints the whole checklist after the change. */
async function printAfter(cli: Cli, reply: GateResponse, options: Options): Promise<void> {
  const run_id = textOf(fieldsOf(fieldsOf(reply.body)['run'])['run_id'])
  if (reply.status >= 400 || reply.status <= 0 || cli.out().json || run_id === '')
    return cli.exit(printReply(cli.out(), reply, () => {}))
  const checklist = await cli.send('GET', `${runPath(run_id)}/checklist${vaultQuery(options)}`)
  cli.exit(printReply(cli.out(), checklist, (body) => printChecklist(cli.out(), body)))
}

function printConsent(cli: Cli, answer: PrintedFields): void {
  const { consent_id, cost_cap_units, allowed_lanes, expires_at } = fieldsOf(answer['consent'])
  const lanes = Array.isArray(allowed_lanes) ? allowed_lanes.map(textOf).join(', ') : ''
  cli.out().line(`${textOf(consent_id)}: ${textOf(cost_cap_units)} units, lanes ${lanes}, until ${textOf(expires_at)}`)
}

/** A number means the step with that ordinal. */
async function stepId(cli: Cli, run_id: string, step: string, options: Options): Promise<string> {
  if (!/^\d+$/.test(step)) return step
  const reply = await cli.send('GET', `${runPath(run_id)}${vaultQuery(options)}`)
  const flow_id = textOf(fieldsOf(fieldsOf(reply.body)['run'])['flow_id'])
  return flow_id === '' ? step : `${flow_id}#${step}`
}

const runPath = (run_id: string) => `/api/v1/flows/runs/${encodeURIComponent(run_id)}`
const proposalPath = (id: string) => `/v1/proposals/${encodeURIComponent(id)}`
const vaultQuery = (options: Options) => queryOf({ vault_id: options['vault'] })

function queryOf(fields: Options): string {
  const query = new URLSearchParams(Object.entries(given(fields)).map(([name, value]) => [name, textOf(value)]))
  return query.size === 0 ? '' : `?${query.toString()}`
}

const given = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** Text that is not a number is sent unchanged, so that the gate rejects it with a reason. */
const numberIn = (value: Options[string]): unknown =>
  typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value

const answersIn = (items: Options[string], answer: boolean): Record<string, boolean> =>
  Object.fromEntries((Array.isArray(items) ? (items as readonly string[]) : []).map((item) => [item, answer]))
