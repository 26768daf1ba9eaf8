import { useState } from 'react'
import { Button } from '../../parts/button.tsx'

export const SKIP_REASONS: Readonly<Record<string, string>> = {
  policy: 'because of policy',
  not_applicable: 'not applicable',
  blocked_dependency: 'a dependency is blocked',
}

/** Where the evidence of a step is. */
export function EvidenceForm({ onSend }: { readonly onSend: (body: object) => void }) {
  const [pointer_kind, setKind] = useState('artifact')
  const [evidence_ref, setRef] = useState('')
  return (
    <form
      className="step-form"
      onSubmit={(event) => {
        event.preventDefault()
        onSend({ pointer_kind, evidence_ref })
      }}
    >
      <select
        className="select"
        aria-label="Kind of evidence"
        value={pointer_kind}
        onChange={(event) => setKind(event.target.value)}
      >
        <option value="artifact">Artifact</option>
        <option value="hash">Hash</option>
        <option value="test_result">Test result</option>
        <option value="proposal">Proposal</option>
      </select>
      <input
        className="input mono"
        aria-label="Reference to the evidence"
        placeholder="artifact://…, call_…, prop_…"
        value={evidence_ref}
        onChange={(event) => setRef(event.target.value)}
      />
      <Button size="small" submit off={evidence_ref.trim() === ''}>
        Attach
      </Button>
    </form>
  )
}

export function SkipForm({ onSkip }: { readonly onSkip: (reason: string) => void }) {
  return (
    <div className="step-acts" role="group" aria-label="Reason for skipping">
      {Object.entries(SKIP_REASONS).map(([reason, words]) => (
        <Button key={reason} size="small" onClick={() => onSkip(reason)}>
          Skip: {words}
        </Button>
      ))}
    </div>
  )
}

export function ReviewForm({ onSend }: { readonly onSend: (intent: string) => void }) {
  const [intent, setIntent] = useState('')
  return (
    <form
      className="step-form"
      onSubmit={(event) => {
        event.preventDefault()
        onSend(intent)
      }}
    >
      <input
        className="input"
        aria-label="What the reviewer should decide"
        placeholder="What should the reviewer decide?"
        value={intent}
        onChange={(event) => setIntent(event.target.value)}
      />
      <Button size="small" submit off={intent.trim() === ''}>
        Submit
      </Button>
    </form>
  )
}
