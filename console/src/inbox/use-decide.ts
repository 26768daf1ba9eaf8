import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { DecideBody } from '../../../server/src/contract/api.ts'
import { ask } from '../api/client.ts'
import type { Decided } from '../api/types.ts'

/** Sends one decision. INVARIANT: nothing says that it is decided before the gate has answered that it is. */
export function useDecide(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (json: DecideBody) =>
      ask<Decided>(`/v1/approvals/${encodeURIComponent(id)}/decide`, { method: 'POST', json }),
    onSettled: () => client.invalidateQueries({ queryKey: ['approvals'] }),
  })
}
