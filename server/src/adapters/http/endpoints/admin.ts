import { hostname } from 'node:os'
import {
  ArtifactAnswer,
  ChannelsAnswer,
  DoctorAnswer,
  ErasureAnswer,
  HealthAnswer,
  listOf,
  PauseAnswer,
  SettingsAnswer,
} from '../../../kernel/contract/answers.ts'
import { EraseBody, PauseBody } from '../../../kernel/contract/api.ts'
import { ok, type Problem } from '../../../kernel/contract/problems.ts'
import type { GrepPorts } from '../../../kernel/artifacts/grep-artifact.ts'
import { readArtifact } from '../../../kernel/artifacts/read-artifact.ts'
import type { Channel } from '../../../kernel/approvals/channels-use.ts'
import type { PasskeyPorts } from '../../../kernel/identity/passkeys.ts'
import { listPauses, setPause, type PausePorts } from '../../../kernel/policy/pause.ts'
import { warningsOf } from '../../../kernel/policy/show.ts'
import type { LivePolicy } from '../../../kernel/policy/live-policy.ts'
import { eraseUser, type ErasePorts } from '../../../kernel/retention/erase-user.ts'
import type { Ledger } from '../../../kernel/ports/ledger.ts'
import { ADMINS, CALLERS, DECIDERS } from '../access.ts'
import { endpoint, type Endpoint } from '../endpoint.ts'
import { PAGED } from '../parameters.ts'
import { notReady } from '../problem.ts'
import { MOST_ITEMS, pageOfList } from '../query.ts'

export type AdminPorts = GrepPorts &
  PausePorts &
  PasskeyPorts &
  Omit<ErasePorts, 'notifying'> & {
    /** The same ledger, below all wrappers that report changes. */
    readonly quiet: Ledger
    readonly settings: object
    readonly live: LivePolicy
    readonly channels: readonly Channel[]
    readonly callbacks: ReadonlyMap<string, unknown>
    doctor(): Promise<DoctorAnswer>
    readonly intake: { closedBy(): Problem | undefined }
  }

const LONGEST_READ = 100_000

/** What operators look at and change. */
export const adminEndpoints = (k: AdminPorts): readonly Endpoint[] => [
  endpoint({
    at: 'GET /healthz',
    access: 'anyone',
    says: 'The process is alive',
    answers: HealthAnswer,
    // The folder's owner may stop the gate: `sluice down`.
    run: (_, { local }) => ok({ ok: true, ...(local ? { pid: process.pid, host: hostname() } : {}) }),
  }),
  endpoint({
    at: 'GET /readyz',
    access: 'anyone',
    says: 'The gate accepts calls',
    answers: HealthAnswer,
    run(_, { trace }) {
      const closed = k.intake.closedBy()
      if (closed !== undefined) return notReady(closed, trace)
      // Anyone may call this, so the text of the policy is left out; `/v1/policies` has it.
      const warnings = warningsOf(k.live).map(({ code, says, at }) => ({ code, says, at, see: '/v1/policies' }))
      return ok({ ok: true, ...(warnings.length === 0 ? {} : { warnings }) })
    },
  }),
  endpoint({
    at: 'GET /v1/settings',
    access: ADMINS,
    says: 'The configuration file of this gate, and a digest of each section that takes effect only after a restart',
    answers: SettingsAnswer,
    run: () => ok(k.settings),
  }),
  endpoint({
    at: 'GET /v1/doctor',
    access: ADMINS,
    says: 'The findings of `sluice doctor` on the machine of the gate, each with what to do about it',
    answers: DoctorAnswer,
    run: async () => ok(await k.doctor()),
  }),
  endpoint({
    at: 'GET /v1/artifacts/{digest}',
    access: CALLERS,
    says: 'A part of an output in the artifact store (from, length)',
    query: ['from', 'length', 'session'],
    answers: ArtifactAnswer,
    run(_, { params, reader, number }) {
      const length = Math.min(number('length', LONGEST_READ), LONGEST_READ)
      return readArtifact(k, reader, params.digest, number('from', 0), length)
    },
  }),
  endpoint({
    at: 'GET /v1/pauses',
    access: CALLERS,
    says: 'What is paused',
    query: PAGED,
    answers: listOf(PauseAnswer),
    run: async (_, { query }) => ok(pageOfList(query, await listPauses(k), MOST_ITEMS)),
  }),
  endpoint({
    at: 'POST /v1/pauses',
    access: ADMINS,
    says: 'Start or end a pause',
    grants: true,
    body: PauseBody,
    answers: PauseAnswer,
    run: (caller, { body, proof }) => setPause(k, caller, body, proof),
  }),
  endpoint({
    at: 'POST /v1/erasures',
    access: ADMINS,
    says: "Remove one person's arguments, outputs and artifacts now",
    body: EraseBody,
    answers: ErasureAnswer,
    run: (caller, { body }) => eraseUser({ ...k, ledger: k.quiet, notifying: k.ledger }, caller, body),
  }),
  endpoint({
    at: 'GET /v1/channels',
    access: DECIDERS,
    says: 'The configured channels, the events of each, and whether people can decide through it',
    answers: ChannelsAnswer,
    run: () => ok({ items: k.channels.map(({ name, events }) => ({ name, events, answers: k.callbacks.has(name) })) }),
  }),
]
