import type { OpenedGate } from '../../src/main/open-gate.ts'
import { decideApproval } from '../../src/kernel/approvals/decide-approval.ts'
import { delegate, endDelegation, listDelegations } from '../../src/kernel/approvals/delegations.ts'
import { editApproval } from '../../src/kernel/approvals/edit-approval.ts'
import { previewEdit } from '../../src/kernel/approvals/preview-edit.ts'
import { listApprovals, readApproval, listUnknown } from '../../src/kernel/approvals/read-approvals.ts'
import { revealApproval } from '../../src/kernel/approvals/reveal-approval.ts'
import { issueToken, redeemToken } from '../../src/kernel/approvals/tokens.ts'
import { grepArtifact } from '../../src/kernel/artifacts/grep-artifact.ts'
import { readArtifact } from '../../src/kernel/artifacts/read-artifact.ts'
import { cancelTask, listTasks, readTask } from '../../src/kernel/attempt/call-task.ts'
import { readCall, readCallByKey } from '../../src/kernel/attempt/read-call.ts'
import { settleCall } from '../../src/kernel/attempt/settle-call.ts'
import { withdrawCall } from '../../src/kernel/attempt/withdraw-call.ts'
import { acceptBreak } from '../../src/kernel/audit/accept-break.ts'
import { exportAudit } from '../../src/kernel/audit/export-audit.ts'
import { newestAudit } from '../../src/kernel/audit/newest-audit.ts'
import { noteRefusal } from '../../src/kernel/audit/note-refusal.ts'
import { proveEntry } from '../../src/kernel/audit/prove-entry.ts'
import { verifyAndSign } from '../../src/kernel/audit/verify-and-sign.ts'
import { presentCheckpoint } from '../../src/kernel/audit/write-checkpoint.ts'
import { admitTool } from '../../src/kernel/catalogue/admit-tool.ts'
import { retryServer } from '../../src/kernel/catalogue/retry-server.ts'
import { reviewTool } from '../../src/kernel/catalogue/review-tool.ts'
import { listConsents } from '../../src/kernel/consents/list-consents.ts'
import { mintConsent } from '../../src/kernel/consents/mint-consent.ts'
import { previewConsent, previewRemember } from '../../src/kernel/consents/preview-consent.ts'
import { revokeConsent } from '../../src/kernel/consents/revoke-consent.ts'
import type { Caller } from '../../src/kernel/contract/caller.ts'
import { ok } from '../../src/kernel/contract/problems.ts'
import {
  authenticate as authenticateKey,
  createCredential,
  isStillAuthentic,
  listCredentials,
  readKeyGrants,
  revokeCredential,
} from '../../src/kernel/identity/credentials.ts'
import { claimKey } from '../../src/kernel/identity/claim-key.ts'
import { describeLogin, isCsrf, logIn, logOut, readLogin } from '../../src/kernel/identity/logins.ts'
import { addPasskey, listPasskeys, passkeyCreation, passkeyRequest } from '../../src/kernel/identity/passkeys.ts'
import { setPassphrase } from '../../src/kernel/identity/passphrase.ts'
import { clearPassphrase, removePasskey } from '../../src/kernel/identity/remove-proof.ts'
import { rotateKeys } from '../../src/kernel/identity/rotate-keys.ts'
import { listPauses, setPause } from '../../src/kernel/policy/pause.ts'
import { eraseUser } from '../../src/kernel/retention/erase-user.ts'
import { cancelRun } from '../../src/kernel/runs/cancel-run.ts'
import { listRuns, readRun } from '../../src/kernel/runs/read-run.ts'
import { resumeRun } from '../../src/kernel/runs/resume-run.ts'

type Rest<F> = F extends (k: never, caller: Caller, ...rest: infer R) => unknown ? R : never

type After<F> = F extends (k: never, ...rest: infer R) => unknown ? R : never

/** What people and agents do with an opened gate, by subject, for tests: each is a use case with the ports of that gate. */
export type Gate = ReturnType<typeof gateOf>

export function gateOf({
  ports: k,
  dispatch = k.dispatch,
  authenticate = (key) => authenticateKey(k, key),
}: Pick<OpenedGate, 'ports'> & Partial<Pick<OpenedGate, 'dispatch' | 'authenticate'>>) {
  const audit = { ...k, keys: k.keys.checkpoints }
  return {
    ports: k,
    closedBy: () => k.intake.closedBy(),
    calls: {
      dispatch,
      read: (by: Caller, id: string, wait?: number) => readCall(k, by, id, wait),
      readByKey: (by: Caller, key: string, wait?: number) => readCallByKey(k, by, key, wait),
      readTask: (by: Caller, id: string, waiting?: AbortSignal) => readTask(k, by, id, waiting),
      listTasks: (...a: After<typeof listTasks>) => listTasks(k, ...a),
      cancelTask: (by: Caller, id: string) => cancelTask(k, by, id),
      settle: (by: Caller, id: string, as: Parameters<typeof settleCall>[3], proof = {}) =>
        settleCall(k, by, id, as, proof),
      withdraw: (by: Caller, id: string) => withdrawCall(k, by, id),
      listUnknown: (...a: After<typeof listUnknown>) => listUnknown(k, ...a),
    },
    approvals: {
      delegate: (by: Caller, wanted: Parameters<typeof delegate>[2], proof = {}) => delegate(k, by, wanted, proof),
      delegations: (by: Caller) => listDelegations(k, by),
      endDelegation: (by: Caller, id: string) => endDelegation(k, by, id),
      list: (...[by, state, page]: [Caller, Rest<typeof listApprovals>[0], Rest<typeof listApprovals>[1]]) =>
        listApprovals(k, by, state, page),
      read: (by: Caller, id: string) => readApproval(k, by, id),
      reveal: (by: Caller, id: string) => revealApproval(k, by, id),
      decide: (by: Caller, id: string, decision: Parameters<typeof decideApproval>[3]) =>
        decideApproval(k, by, id, decision),
      edit: (by: Caller, ...rest: Rest<typeof editApproval>) => editApproval(k, by, ...rest),
      previewEdit: (by: Caller, ...rest: Rest<typeof previewEdit>) => previewEdit(k, by, ...rest),
      issueToken: (by: Caller, id: string) => issueToken(k, by, id),
      redeemToken: (by: Caller, ...rest: Rest<typeof redeemToken>) => redeemToken(k, by, ...rest),
    },
    consents: {
      mint: (by: Caller, terms: Parameters<typeof mintConsent>[2], proof = {}) => mintConsent(k, by, terms, proof),
      list: (by: Caller, ...rest: Rest<typeof listConsents>) => listConsents(k, by, ...rest),
      preview: (by: Caller, ...rest: Rest<typeof previewConsent>) => previewConsent(k, by, ...rest),
      previewRemember: (by: Caller, ...rest: Rest<typeof previewRemember>) => previewRemember(k, by, ...rest),
      revoke: (by: Caller, id: string) => revokeConsent(k, by, id),
    },
    runs: {
      list: (by: Caller, ...rest: Rest<typeof listRuns>) => listRuns(k, by, ...rest),
      read: (by: Caller, ...rest: Rest<typeof readRun>) => readRun(k, by, ...rest),
      cancel: (by: Caller, ...rest: Rest<typeof cancelRun>) => cancelRun(k, by, ...rest),
      resume: (by: Caller, id: string) => resumeRun(k, by, id),
    },
    artifacts: {
      read: (...a: After<typeof readArtifact>) => readArtifact(k, ...a),
      grep: (...a: After<typeof grepArtifact>) => grepArtifact(k, ...a),
    },
    catalogue: {
      ...k.toolViews,
      review: (by: Caller, id: string) => reviewTool(k, by, id),
      servers: () => k.serverReports(),
      retry: (by: Caller, server: string) => retryServer(k, by, server),
      async admit(by: Caller, id: string, hash: string, proof = {}) {
        const admitted = await admitTool(k, by, id, hash, proof)
        if (!admitted.ok) return admitted
        await k.live.reload('catalogue')
        return ok(undefined)
      },
    },
    policies: k.policies,
    pauses: {
      set: (by: Caller, order: Parameters<typeof setPause>[2], proof = {}) => setPause(k, by, order, proof),
      list: () => listPauses(k),
    },
    changes: k.changes,
    proxy: k.proxy,
    audit: {
      noteRefusal: (...[refusal]: [Parameters<typeof noteRefusal>[1]]) => noteRefusal(k, refusal),
      newest: (stream: string | undefined, limit: number) => newestAudit(k.audit, stream ?? k.stream, limit),
      page: (stream: string | undefined, from: number, limit: number) =>
        k.audit.entries(stream ?? k.stream, from, limit),
      verify: (...a: After<typeof verifyAndSign>) => verifyAndSign(audit, ...a),
      export: (since: number, format: 'jsonl' | 'csv') =>
        exportAudit(audit, { format, ...(since > 0 ? { since } : {}) }),
      prove: (stream: string | undefined, seq: number) => proveEntry(audit, stream ?? k.stream, seq),
      presentCheckpoint: () => presentCheckpoint(audit),
      acceptBreak: (by: Caller, reason: string) => acceptBreak(audit, by, reason),
      checkpointKeys: () => k.keys.checkpoints.publicKeys(),
    },
    identity: {
      authenticate,
      isStillAuthentic: (by: Caller) => isStillAuthentic(k, by),
      claimKey: (by: Caller, key: string) => claimKey(k, by, key),
      createCredential: (
        by: Caller,
        wanted: Parameters<typeof createCredential>[2],
        proof: Parameters<typeof createCredential>[3] = {},
      ) => createCredential(k, by, wanted, proof),
      revokeCredential: (by: Caller, id: string, keep?: boolean) => revokeCredential(k, by, id, keep),
      keyGrants: (by: Caller, id: string) => readKeyGrants(k, by, id),
      listCredentials: (by: Caller) => listCredentials(k, by),
      setPassphrase: (by: Caller, wanted: Parameters<typeof setPassphrase>[2]) => setPassphrase(k, by, wanted),
      clearPassphrase: (by: Caller, user: string, proof = {}) => clearPassphrase(k, by, user, proof),
      logIn: (by: Caller, ...rest: Rest<typeof logIn>) => logIn(k, by, ...rest),
      readLogin: (secret: string, passive?: boolean) => readLogin(k, secret, passive),
      isCsrf: (secret: string, given: string | undefined) => isCsrf(k.digest, secret, given),
      describeLogin: (by: Caller, ...rest: Rest<typeof describeLogin>) => describeLogin(k, by, ...rest),
      logOut: (by: Caller, ...rest: Rest<typeof logOut>) => logOut(k, by, ...rest),
      passkeys: {
        list: (by: Caller) => listPasskeys(k, by),
        creation: (by: Caller, ...rest: Rest<typeof passkeyCreation>) => passkeyCreation(k, by, ...rest),
        request: (by: Caller, ...rest: Rest<typeof passkeyRequest>) => passkeyRequest(k, by, ...rest),
        add: (by: Caller, ...rest: Rest<typeof addPasskey>) => addPasskey(k, by, ...rest),
        remove: (by: Caller, id: string, proof = {}) => removePasskey(k, by, id, proof),
      },
      rotateKeys: (by: Caller, which: 'token' | 'checkpoint') => rotateKeys(k, by, which),
    },
    retention: {
      eraseUser: (by: Caller, wanted: { user: string; withdraw: boolean }) =>
        eraseUser({ ...k, ledger: k.quiet, notifying: k.ledger }, by, wanted),
    },
  }
}
