import { useMutation } from '@tanstack/react-query'
import type { PasskeyOptions } from '../../../server/src/kernel/identity/passkey.ts'
import { askedProof, type AskedProof } from '../api/ask-proven.ts'
import { ask } from '../api/client.ts'
import { codeOf } from '../api/problem.ts'
import { ProofField, useProof } from '../inbox/proof.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'

/** Asks for the passphrase or the passkey that a request needs, and sends it again with that. */
export function ProofDialog({ asked }: { readonly asked: AskedProof }) {
  const { method, path, json, onDone, onRefused } = asked
  const proof = useProof({
    wanted: true,
    always: true,
    challenge: () => ask<PasskeyOptions>('/v1/passkeys/grant', { method: 'POST', json: { method, path, body: json } }),
  })
  const send = useMutation({
    mutationFn: async () => ask(path, { method, json: { ...json, ...(await proof.give()) } }),
    onSuccess: (answer) => {
      askedProof.set(undefined)
      onDone(answer)
    },
    onError: (error) => {
      const code = codeOf(error)
      if (code.startsWith('approval.pass') || code.startsWith('passkey.') || code === 'console.error')
        return proof.refused(error)
      askedProof.set(undefined)
      onRefused(error)
    },
  })
  const cancel = () => {
    askedProof.set(undefined)
    onRefused(undefined)
  }
  return (
    <Dialog
      title="Confirm that it is you"
      onClose={cancel}
      cancel="Cancel"
      act={
        <Button kind="primary" off={!proof.isReady} busy={send.isPending} onClick={() => send.mutate()}>
          Confirm
        </Button>
      }
    >
      <p>This gives permission in your name. Nothing is changed until you confirm it.</p>
      <ProofField of={proof} id="grant-passphrase" />
    </Dialog>
  )
}
