import type { CallStory, History, ReportViolation } from './history.ts'

/**
 * Nothing is used after it has expired, by the clock of the node that used it, or more often than allowed: no expired approval, no
 * expired or exhausted consent.
 */
export function checkBounds(history: History, stories: ReadonlyMap<string, CallStory>, report: ReportViolation): void {
  for (const story of stories.values()) checkApproval(story, report)
  const consents = new Map<string, History['consents'][number]>(history.consents.map((row) => [row.consent_id, row]))
  const used = history.audit.filter(({ type, subject }) => type === 'call.started' && subject['consent'] !== undefined)
  for (const [id = '', starts] of Map.groupBy(used, ({ subject }) => subject['consent'])) {
    const consent = consents.get(id)
    const calls = new Set(starts.map(({ subject }) => subject['call']))
    if (consent === undefined || calls.size > consent.calls)
      report(
        'used_out_of_bounds',
        id,
        `${calls.size} calls started under it, and it allows ${consent?.calls ?? 'none'}`,
      )
    const late = starts.find(({ at }) => consent !== undefined && at >= consent.expires_at)
    if (late !== undefined) report('used_out_of_bounds', id, `${late.subject['call']} started after it had expired`)
  }
}

function checkApproval({ row, approval, entries }: CallStory, report: ReportViolation): void {
  if (approval === undefined) return
  const { approval_id, expires_at, decisions } = approval
  const ofType = (type: string) => entries.filter((entry) => entry.type === type)
  const isRecorded = (type: string) => ofType(type).some(({ subject }) => subject['approval'] === approval_id)
  if (isRecorded('approval.approved') && isRecorded('approval.expired'))
    report('used_out_of_bounds', approval_id, 'it is recorded as expired and as approved')
  if (decisions.some(({ says, at }) => says === 'approve' && at >= expires_at))
    report('used_out_of_bounds', approval_id, 'it was approved after it had expired')
  const starts = ofType('call.started')
  // A retry that a person ordered may come later.
  if (starts.length > 0 && starts.every(({ at }) => at >= expires_at))
    report('used_out_of_bounds', row.call_id, 'it started after its approval had expired')
}
