import { useQuery } from '@tanstack/react-query'
import type { ConsentPreviewAnswer } from '../../../server/src/kernel/contract/activity.ts'
import type { Remember } from '../../../server/src/kernel/contract/consent.ts'
import { ask } from '../api/client.ts'
import type { Packet } from '../api/types.ts'
import { many } from '../lib/time.ts'
import { Fold } from '../parts/fold.tsx'
import { Note } from '../parts/note.tsx'
import { Sentence } from '../parts/sentence.tsx'

/** Which calls of last week these bounds would have covered. Shown only if the gate can tell. */
export function ConsentPreview({ packet, bounds }: { readonly packet: Packet; readonly bounds: Remember }) {
  const { data } = useQuery({
    queryKey: ['consents', 'preview', packet.approval_id, bounds],
    queryFn: ({ signal }) =>
      ask<ConsentPreviewAnswer>(`/v1/approvals/${packet.approval_id}/consent-preview`, {
        method: 'POST',
        json: { remember: bounds },
        signal,
      }),
    retry: false,
    gcTime: 10_000,
  })
  if (data === undefined) return null
  return (
    <Note icon="clock" small>
      <p className="small">
        With these limits, <b>{many(data.covered, 'call')} of the last 7 days</b> would have run automatically
        {data.complete ? '.' : ', of those that were checked.'}
      </p>
      {data.examples.length === 0 ? null : (
        <Fold label="View">
          <ul className="small">
            {data.examples.map((call) => (
              <li key={call.call_id}>
                <Sentence of={call.sentence} />
              </li>
            ))}
          </ul>
        </Fold>
      )}
    </Note>
  )
}
