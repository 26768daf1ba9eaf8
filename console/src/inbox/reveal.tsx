import { useState } from 'react'
import { ask } from '../api/client.ts'
import { problemOf } from '../api/problem.ts'
import type { Packet } from '../api/types.ts'
import { many } from '../lib/time.ts'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Text } from '../parts/text.tsx'

type Revealed = Pick<Packet, 'proposed_args' | 'hidden' | 'digest'>

/**
 * What redaction hides is shown only when an approver requests it, which is recorded. The text is stored only in this component,
 * cannot be selected, and is dropped when the approver leaves the request.
 */
export function Reveal({ packet }: { readonly packet: Packet }) {
  const [revealed, setRevealed] = useState<Revealed>()
  const [failure, setFailure] = useState<string>()
  const [busy, setBusy] = useState(false)
  const reveal = async () => {
    setBusy(true)
    try {
      setRevealed(await ask<Revealed>(`/v1/approvals/${packet.approval_id}/reveal`, { method: 'POST' }))
    } catch (error) {
      const { title, code } = problemOf(error)
      setFailure(`It was not revealed: ${title} (${code}).`)
    } finally {
      setBusy(false)
    }
  }
  return (
    <div className="card-foot small">
      {revealed === undefined ? (
        <div className="acts">
          <span className="grow dim">
            <Icon name="lock" size="s" /> {many(packet.hidden.length, 'place is', 'places are')} hidden. Revealing them
            is recorded.
          </span>
          <Button size="small" busy={busy} onClick={() => void reveal()}>
            Show what is hidden
          </Button>
        </div>
      ) : (
        <>
          <div className="acts">
            <b className="grow">What is hidden</b>
            <Button size="small" onClick={() => setRevealed(undefined)}>
              Hide it again
            </Button>
          </div>
          <pre className="val mono unselectable">
            <Text lines>{pretty(revealed.proposed_args)}</Text>
          </pre>
        </>
      )}
      {failure === undefined ? null : (
        <p className="hint wrong" role="alert">
          {failure}
        </p>
      )}
    </div>
  )
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
