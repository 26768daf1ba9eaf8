import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { PasskeyOptions } from '../../../server/src/kernel/identity/passkey.ts'
import { ask } from '../api/client.ts'
import { codeOf } from '../api/problem.ts'
import { ProofField, useProof } from '../inbox/proof.tsx'
import { useMe } from '../inbox/use-me.ts'
import { say } from '../lib/announce.ts'
import { saveFile } from '../lib/save-file.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { Refused } from '../parts/refused.tsx'
import { TypedField } from '../parts/typed-field.tsx'

type PutProps = {
  readonly text: string
  /** Of the policy that the draft was compared with. */
  readonly version: string
  readonly off: boolean
  readonly looser: boolean
  readonly onDone: () => void
}

/** An admin puts a draft in force. */
export function PutInForce({ off, looser, ...draft }: PutProps) {
  const me = useMe()
  const [isOpen, setOpen] = useState(false)
  const isAdmin = me?.kind === 'admin'
  return (
    <div className="decide-in foot">
      <p className="decide-says">
        {looser ? (
          <b>Some calls that were held or blocked would now run without asking.</b>
        ) : isAdmin ? (
          'Nothing changes until you put it in force.'
        ) : (
          'Only an admin can put it in force. You can download it.'
        )}
      </p>
      <Button onClick={() => saveFile(new Blob([draft.text], { type: 'application/yaml' }), 'policy.yaml')}>
        <Icon name="download" />
        Download
      </Button>
      {isAdmin ? (
        <Button kind="primary" off={off} onClick={() => setOpen(true)}>
          Put in force …
        </Button>
      ) : null}
      {isOpen ? <PutDialog {...draft} looser={looser} onClose={() => setOpen(false)} /> : null}
    </div>
  )
}

const LOOSEN = 'loosen'

function PutDialog({
  text,
  version,
  looser,
  onDone,
  onClose,
}: Omit<PutProps, 'off'> & { readonly onClose: () => void }) {
  const client = useQueryClient()
  const [typed, setTyped] = useState('')
  const proof = useProof({
    wanted: true,
    always: false,
    challenge: () => ask<PasskeyOptions>('/v1/policies/passkey', { method: 'POST', json: { text, version } }),
  })
  const put = useMutation({
    mutationFn: async () =>
      ask('/v1/policies/put', { method: 'POST', json: { text, version, ...(await proof.give()) } }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['policy'] })
      say('The policy is in force.')
      onDone()
    },
    onError: (error) => {
      if (codeOf(error).startsWith('approval.') || codeOf(error).startsWith('passkey.')) proof.refused(error)
      else void client.invalidateQueries({ queryKey: ['policy'] })
    },
  })
  const isSaid = put.error !== null && proof.problem === undefined
  return (
    <Dialog
      title="Put this policy in force?"
      onClose={onClose}
      cancel="Cancel"
      act={
        <Button
          kind="primary"
          off={(looser && typed.trim().toLowerCase() !== LOOSEN) || !proof.isReady}
          busy={put.isPending}
          onClick={() => put.mutate()}
        >
          Put in force
        </Button>
      }
    >
      <p>
        The gate writes it to its policy file and judges every call by it from then on. Calls that already wait are
        judged again before they run.
      </p>
      {looser ? (
        <>
          <p>
            <b>It loosens the policy:</b> of the calls of the last 7 days, some that a person was asked about, or that
            were blocked, would now run.
          </p>
          <TypedField id="loosen" word={LOOSEN} value={typed} onValue={setTyped} />
        </>
      ) : null}
      <ProofField of={proof} id="policy-passphrase" />
      <Refused of={isSaid ? put.error : null} says="It is not in force" />
    </Dialog>
  )
}
