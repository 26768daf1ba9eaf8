import { acceptBreak } from '../commands/audit/accept-break.ts'
import { admitTool } from '../commands/catalogue/admit-tool.ts'
import type { LiveCatalogue } from '../commands/catalogue/catalogue.ts'
import { openChanges } from '../commands/changes/changes.ts'
import { cancelTask } from '../commands/calls/cancel-task.ts'
import { authenticate, createCredential, listCredentials, revokeCredential } from '../commands/identity/credentials.ts'
import { decideApproval } from '../commands/approvals/decide-approval.ts'
import { cancelRun } from '../commands/runs/cancel-run.ts'
import { listRuns, readRun } from '../commands/runs/read-run.ts'
import { resumeRun } from '../commands/runs/resume-run.ts'
import { claimKey } from '../commands/identity/claim-key.ts'
import { dispatchCall } from '../commands/calls/dispatch-call.ts'
import { editApproval } from '../commands/approvals/edit-approval.ts'
import { executeCall, type ExecuteCall } from '../commands/calls/execute-call.ts'
import { eraseUser } from '../commands/retention/erase-user.ts'
import { exportAudit } from '../commands/audit/export-audit.ts'
import type { Judgement } from '../commands/calls/facts/load-judgement.ts'
import type { Gate, ServerReport } from '../commands/gate.ts'
import type { FactsDeps } from '../commands/calls/gather-facts.ts'
import { grepArtifact } from '../commands/artifacts/grep-artifact.ts'
import type { Intake } from '../commands/calls/intake.ts'
import { listConsents } from '../commands/consents/list-consents.ts'
import { mintConsent } from '../commands/consents/mint-consent.ts'
import type { LivePolicy } from '../commands/policy/live-policy.ts'
import { noteRefusal } from '../commands/audit/note-refusal.ts'
import { clearPassphrase, setPassphrase } from '../commands/identity/passphrase.ts'
import { listPauses, setPause } from '../commands/policy/pause.ts'
import { performersOf } from '../commands/runs/performers.ts'
import type { KeptCheckpoint, OwnTail } from '../commands/ports/audit.ts'
import type { Artifacts } from '../commands/ports/artifacts.ts'
import type { CallbackSource, Channel } from '../commands/ports/channels.ts'
import type { HealthEvidence } from '../commands/ports/health.ts'
import type { Issuers, Passphrases } from '../commands/ports/keys.ts'
import type { Ledger } from '../commands/ports/ledger.ts'
import type { ArgumentModel } from '../commands/ports/models.ts'
import type { Accounts, AuditReads, Journal, Shelves } from '../commands/ports/reads.ts'
import type { Clock, Digest, Ids, Probe } from '../commands/ports/runtime.ts'
import type { Offerings, ToolServers } from '../commands/ports/upstream.ts'
import type { FileFacts } from '../commands/calls/facts/file-facts.ts'
import { policiesOf } from '../commands/policy/policies.ts'
import { openProxy } from '../commands/proxy/proxy.ts'
import { proveEntry } from '../commands/audit/prove-entry.ts'
import { listApprovals, listUnknown, readApproval } from '../commands/approvals/read-approvals.ts'
import { readArtifact } from '../commands/artifacts/read-artifact.ts'
import { readCallByKey } from '../commands/calls/read-call-by-key.ts'
import { readCall } from '../commands/calls/read-call.ts'
import { listTasks, readTask } from '../commands/calls/read-task.ts'
import { readToolflow } from '../commands/toolflow/read-toolflow.ts'
import { resumeToolflow } from '../commands/toolflow/resume-toolflow.ts'
import { runOf, runToolflow } from '../commands/toolflow/run-toolflow.ts'
import { readCard } from '../commands/catalogue/read-card.ts'
import { reviewTool } from '../commands/catalogue/review-tool.ts'
import { revokeConsent } from '../commands/consents/revoke-consent.ts'
import { rotateKeys } from '../commands/identity/rotate-keys.ts'
import { createRunningCalls } from '../commands/calls/running-calls.ts'
import { standardOf } from '../commands/calls/siblings-of.ts'
import { taught, type HabitsBook } from '../commands/catalogue/search-habits.ts'
import type { Meaning } from '../commands/catalogue/search-meaning.ts'
import { searchTools } from '../commands/catalogue/search-tools.ts'
import { createVisibleTools } from '../commands/catalogue/visible-tools.ts'
import { smallerSurface } from '../commands/catalogue/smaller-surface.ts'
import { settleCall } from '../commands/calls/settle-call.ts'
import { takeCallback } from '../commands/channels/take-callback.ts'
import { revealApproval } from '../commands/approvals/reveal-approval.ts'
import { issueToken, redeemToken } from '../commands/approvals/tokens.ts'
import { verifyAudit } from '../commands/audit/verify-audit.ts'
import type { Doubts } from '../commands/changes/settle-doubts.ts'
import type { Watch } from '../commands/changes/watch-rows.ts'
import { withdrawCall } from '../commands/calls/withdraw-call.ts'
import { presentCheckpoint } from '../commands/audit/write-checkpoint.ts'
import type { CallerKind } from '../contract/caller.ts'
import { ok } from '../contract/problems.ts'
import type { ToolflowSettings } from '../contract/toolflow.ts'
import type { Liveness } from '../commands/runs/liveness.ts'
import type { Performers } from '../commands/runs/performer.ts'
import type { DispatchDeps } from '../commands/calls/dispatch-call.ts'
import type { LiveKeys } from './data-folder.ts'
import { z3 } from './z3.ts'

/** Everything the commands need from the world, opened. */
export type World = {
  readonly version: string
  readonly stream: string
  readonly boot: string
  readonly ledger: Ledger & Watch
  readonly doubts: Doubts
  readonly shelves: Shelves
  readonly accounts: Accounts
  readonly files: FileFacts
  readonly judgement: Judgement
  readonly ownCredentials: FactsDeps['ownCredentials']
  readonly toolflow: ToolflowSettings
  /** Only with a model for the toolflow. */
  readonly argumentModel?: ArgumentModel
  readonly meaning?: Meaning
  /** What callers' searches lead to, where that is learnt. Not for the toolflow: there only the words choose. */
  readonly learning?: HabitsBook
  /** Only with a `serenity` section. */
  readonly health?: HealthEvidence
  readonly audit: AuditReads
  /** The newest checkpoint, outside the ledger. */
  readonly kept: KeptCheckpoint
  /** The same ledger, below everything that tells of what changes. */
  readonly quiet: Ledger
  readonly scrub: () => Promise<void>
  readonly tail: OwnTail
  readonly journal: Journal
  readonly liveness: Liveness
  readonly artifacts: Artifacts
  readonly servers: ToolServers
  readonly offerings: Offerings
  readonly serverReports: () => readonly ServerReport[]
  readonly catalogue: LiveCatalogue
  readonly live: LivePolicy
  readonly policy: DispatchDeps['policy']
  readonly holdFor: DispatchDeps['holdFor']
  readonly pendingLimits: DispatchDeps['pendingLimits']
  readonly keys: LiveKeys
  readonly issuers: Issuers
  readonly passphrases: Passphrases
  readonly strong: 'role' | 'passphrase'
  readonly tokensCountAs: 'simple' | 'strong'
  readonly otherApprovers: readonly string[] | 'unknown'
  readonly newKey: (kind: CallerKind) => string
  readonly digest: Digest
  readonly digestBytes: (hex: string) => string
  readonly clock: Clock
  readonly ids: Ids
  readonly intake: Intake
  readonly probe: Probe
  readonly links: (approval_id: string) => string
  /** Aborted when the gate takes no more calls. */
  readonly stopping: AbortSignal
  readonly channels: readonly Channel[]
  readonly callbacks: ReadonlyMap<string, CallbackSource>
  readonly onUndelivered: (channel: string, delivery_id: string, attempt: number) => void
  readonly after: (ms: number, callback: () => void) => () => void
  readonly persist: (attempt: () => Promise<boolean>) => void
}

export type Bound = {
  readonly gate: Gate
  readonly performers: Performers
  /** What was dispatched has its outcome, also where nobody waits for it any more. */
  idle(): Promise<void>
}

/** The commands bound to the world: what doors ask, and what the driver carries out. Binds, decides nothing. */
export function bindGate(world: World): Bound {
  const running = createRunningCalls()
  const executing = { ...world, running }
  const execute: ExecuteCall = (started, live) => executeCall(executing, started, live)
  const dispatched = new Set<Promise<unknown>>()
  const sight = createVisibleTools(world)
  const deps = {
    ...world,
    sight,
    execute,
    running,
    watch: world.ledger,
    tokens: world.keys.tokens,
    rotate: world.keys.rotate,
  }
  const audited = { ...world, keys: world.keys.checkpoints }
  const proxy = openProxy(deps)
  const searching = world.learning === undefined ? deps : { ...deps, habits: world.learning }
  const dispatch: Gate['dispatch'] = (request, live) => {
    const outcome = dispatchCall(deps, request, live)
    dispatched.add(outcome)
    const forget = () => void dispatched.delete(outcome)
    outcome.then(forget, forget)
    return outcome
  }
  const gate: Gate = {
    version: world.version,
    authenticate: (key) => authenticate(deps, key),
    noteRefusal: (refusal) => noteRefusal(deps, refusal),
    dispatch: world.learning === undefined ? dispatch : taught(dispatch, world.learning),
    readCall: (caller, id, wait) => readCall(deps, caller, id, wait),
    readCallByKey: (caller, key, wait) => readCallByKey(deps, caller, key, wait),
    readTask: (caller, id, waiting) => readTask(deps, caller, id, waiting),
    listTasks: (caller, page) => listTasks(deps, caller, page),
    cancelTask: (caller, id) => cancelTask(deps, caller, id),
    settleCall: (caller, id, as) => settleCall(deps, caller, id, as),
    withdrawCall: (caller, id) => withdrawCall(deps, caller, id),
    listUnknown: (caller, page) => listUnknown(deps, caller, page),
    listApprovals: (caller, state, page) => listApprovals(deps, caller, state, page),
    readApproval: (caller, id) => readApproval(deps, caller, id),
    revealApproval: (caller, id) => revealApproval(deps, caller, id),
    decideApproval: (caller, id, decision) => decideApproval(deps, caller, id, decision),
    editApproval: (caller, id, args, digest) => editApproval(deps, caller, id, args, digest),
    issueToken: (caller, id) => issueToken(deps, caller, id),
    redeemToken: (caller, presented) => redeemToken(deps, caller, presented),
    listRuns: (caller, filter, page) => listRuns(deps, caller, filter, page),
    readRun: (caller, id, page) => readRun(deps, caller, id, page),
    cancelRun: (caller, id, reason) => cancelRun(deps, caller, id, reason),
    resumeRun: (caller, id) => resumeRun(deps, caller, id),
    claimKey: (caller, key) => claimKey(deps, caller, key),
    takeCallback: (callback) => takeCallback(deps, callback),
    runToolflow: (caller, body, more) => runToolflow(deps, caller, body, more),
    readToolflow: (caller, id, wait) => readToolflow(deps, caller, id, wait),
    readToolflowByKey: async (caller, key, wait) => readToolflow(deps, caller, await runOf(deps, caller, key), wait),
    resumeToolflow: (caller, id, answer, wait) => resumeToolflow(deps, caller, id, answer, wait),
    mintConsent: (caller, terms, passphrase) => mintConsent(deps, caller, terms, passphrase),
    listConsents: (caller, page) => listConsents(deps, caller, page),
    revokeConsent: (caller, id) => revokeConsent(deps, caller, id),
    tools: (caller) => sight.tools(caller),
    tool: (caller, id) => sight.tool(caller, id),
    search: (caller, query, top_k) => searchTools(searching, caller, query, top_k),
    searchNotice: () => world.meaning?.notice(),
    proxy: proxy.ask,
    watch: proxy.watch,
    offers: proxy.offers,
    onNotice: proxy.onNotice,
    standardOf: (tool) => standardOf(world, tool),
    card: (caller, id, full) => readCard(deps, caller, id, full),
    reviewTool: (caller, id) => reviewTool({ sight }, caller, id),
    async admitTool(caller, id, hash) {
      const admitted = await admitTool(deps, caller, id, hash)
      if (!admitted.ok) return admitted
      // Conditions are checked against the admitted schemas.
      await world.live.reload('catalogue')
      return ok(undefined)
    },
    servers: () => world.serverReports(),
    artifact: (caller, digest, from, length) => readArtifact(deps, caller, digest, from, length),
    grepArtifact: (caller, digest, query) => grepArtifact(deps, caller, digest, query),
    smallerSurface: (caller, own) =>
      smallerSurface(
        own,
        gate.tools(caller).flatMap(({ row }) => (row.admitted === undefined ? [] : [row.admitted.definition])),
      ),
    setPause: (caller, order) => setPause(deps, caller, order),
    listPauses: () => listPauses(deps),
    createCredential: (caller, wanted) => createCredential(deps, caller, wanted),
    revokeCredential: (caller, id) => revokeCredential(deps, caller, id),
    listCredentials: (caller) => listCredentials(deps, caller),
    setPassphrase: (caller, wanted) => setPassphrase(deps, caller, wanted),
    clearPassphrase: (caller, user) => clearPassphrase(deps, caller, user),
    rotateKeys: (caller, which) => rotateKeys(deps, caller, which),
    onChange: (caller, listener) => changes.onChange(caller, listener),
    changesAfter: (caller, id) => changes.changesAfter(caller, id),
    newestChange: () => changes.newest(),
    policies: policiesOf({ ...world, solver: z3 }),
    auditPage: (stream, from, limit) => world.audit.entries(stream ?? world.stream, from, limit),
    verifyAudit: (against) => verifyAudit(audited, { against, kept: world.kept.state(), tail: world.tail }),
    exportAudit: (since, format) => exportAudit(audited, { format, ...(since > 0 ? { since } : {}) }),
    proveEntry: (stream, seq) => proveEntry(audited, stream ?? world.stream, seq),
    presentCheckpoint: () => presentCheckpoint(audited),
    eraseUser: (caller, wanted) => eraseUser({ ...deps, ledger: world.quiet, telling: world.ledger }, caller, wanted),
    acceptBreak: (caller, reason) => acceptBreak(audited, caller, reason),
    checkpointKeys: () => world.keys.checkpoints.publicKeys(),
    closedBy: () => world.intake.closedBy(),
  }
  const changes = openChanges({
    ...deps,
    serversFor: (caller) => new Set(gate.tools(caller).map(({ row }) => row.server)),
  })
  const performers = performersOf({ ...deps, dispatch: (request) => gate.dispatch(request) })
  const idle = async () => void (await Promise.allSettled(dispatched))
  return { gate, performers, idle }
}
