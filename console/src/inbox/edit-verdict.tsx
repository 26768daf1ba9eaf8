import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { EditPreviewAnswer } from '../../../server/src/kernel/contract/activity.ts'
import { ask } from '../api/client.ts'
import type { Packet } from '../api/types.ts'
import { Card } from '../parts/card.tsx'
import { Reasons } from './why.tsx'

const PAUSE_MS = 400

/** How the gate would judge the edit, before it is saved; undefined while there is nothing to judge. */
export function useEditVerdict(packet: Packet, args: unknown): EditPreviewAnswer | undefined {
  const text = args === undefined ? undefined : JSON.stringify(args)
  const [settled, setSettled] = useState<string>()
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  const { data } = useQuery({
    queryKey: ['edit-preview', packet.approval_id, settled],
    queryFn: ({ signal }) =>
      ask<EditPreviewAnswer>(`/v1/approvals/${packet.approval_id}/edit-preview`, {
        method: 'POST',
        json: { args: JSON.parse(settled ?? 'null') as unknown },
        signal,
      }),
    enabled: settled !== undefined && settled === text,
    placeholderData: (before) => before,
    retry: false,
    gcTime: 10_000,
  })
  return text === undefined ? undefined : data
}

export function EditVerdict({ verdict: data }: { readonly verdict: EditPreviewAnswer }) {
  const words = { ask: 'A person would still be asked', allow: 'It would be allowed', block: 'It would be blocked' }[
    data.effect
  ]
  return (
    <Card title="What the gate would decide" aside="not saved yet">
      <div className="card-body small">
        <b>{words}</b>
      </div>
      <Reasons of={data.evidence.filter(({ effect }) => effect !== 'allow')} />
    </Card>
  )
}
