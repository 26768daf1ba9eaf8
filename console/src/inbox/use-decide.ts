import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { BodyOf } from '../../../server/src/client/client.ts'
import { gate } from '../api/client.ts'

type Decision = BodyOf<'POST /v1/approvals/{approval_id}/decide'>

/** Sends one decision. INVARIANT: the page does not show it as decided before the gate has confirmed it. */
export function useDecide(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: Decision) =>
      gate.ask('POST /v1/approvals/{approval_id}/decide', { path: { approval_id: id }, body }),
    onSettled: () => client.invalidateQueries({ queryKey: ['approvals'] }),
  })
}
