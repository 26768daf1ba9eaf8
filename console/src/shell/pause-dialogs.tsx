import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { askProven } from '../api/ask-proven.ts'
import type { Pause } from '../api/types.ts'
import { say } from '../lib/announce.ts'
import { whenText } from '../lib/time.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { Refused } from '../parts/refused.tsx'
import { Text } from '../parts/text.tsx'
import { TextField } from '../parts/text-field.tsx'
import { overlay } from './overlay.ts'
import { usePauses } from './use-gate.ts'

type PauseWords = Pick<Pause, 'scope' | 'effect' | 'active' | 'reason'>

function usePause(done: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (json: PauseWords) => askProven<Pause>('/v1/pauses', { method: 'POST', json }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['pauses'] })
      overlay.set(undefined)
      say(done)
    },
  })
}

/** Stopping is easy: two clicks, no typing. */
export function PauseDialog() {
  const [whole, setWhole] = useState(true)
  const [scope, setScope] = useState('')
  const [effect, setEffect] = useState<Pause['effect']>('block')
  const [reason, setReason] = useState('')
  const pause = usePause(whole ? 'Everything is paused' : 'Paused')
  const isScope = /^(?:caller|tool|server):.+$/.test(scope.trim())
  const close = () => overlay.set(undefined)
  return (
    <Dialog
      title="Pause everything?"
      onClose={close}
      says="You will be asked to confirm before resuming."
      cancel="Cancel"
      act={
        <Button
          kind="danger"
          busy={pause.isPending}
          off={!whole && !isScope}
          onClick={() => pause.mutate({ scope: whole ? 'all' : scope.trim(), effect, active: true, reason })}
        >
          <Icon name="pause" />
          {whole ? 'Pause everything' : 'Pause this'}
        </Button>
      }
    >
      <p>From now on no tool call starts, not even one that was approved. Calls that are running now will finish.</p>
      <div className="opts" role="radiogroup" aria-label="What to pause">
        <label className="opt">
          <input type="radio" name="scope" checked={whole} onChange={() => setWhole(true)} />
          <b>Everything</b>
        </label>
        <label className="opt">
          <input type="radio" name="scope" checked={!whole} onChange={() => setWhole(false)} />
          <b>One agent, tool or server</b>
          <span className="dim">caller:agent:…, tool:… or server:…</span>
        </label>
      </div>
      {whole ? null : (
        <TextField id="pause-scope" label="Which" mono placeholder="server:mail" value={scope} onValue={setScope} />
      )}
      <div className="two">
        <div>
          <label className="label" htmlFor="pause-effect">
            New calls are
          </label>
          <select
            id="pause-effect"
            className="select"
            value={effect}
            onChange={(event) => setEffect(event.target.value === 'ask' ? 'ask' : 'block')}
          >
            <option value="block">blocked</option>
            <option value="ask">held for approval</option>
          </select>
        </div>
        <TextField
          id="pause-why"
          label="Why (everybody sees this)"
          maxLength={300}
          value={reason}
          onValue={setReason}
        />
      </div>
      <Refused of={pause.error} says="Nothing was changed" />
    </Dialog>
  )
}

/** Ending a pause requires typing a word. */
export function ResumeDialog() {
  const pauses = usePauses()
  const [typed, setTyped] = useState('')
  const resume = usePause('Resumed')
  const close = () => overlay.set(undefined)
  const [first] = pauses
  if (first === undefined) return null
  const { scope, effect, by, at, reason } = first
  return (
    <Dialog
      title="Resume?"
      onClose={close}
      cancel="Cancel"
      act={
        <Button
          kind="primary"
          off={typed.trim().toLowerCase() !== 'resume'}
          busy={resume.isPending}
          onClick={() => resume.mutate({ scope, effect, active: false, reason: '' })}
        >
          Resume
        </Button>
      }
    >
      <p>
        {scope === 'all' ? 'Everything' : <code>{scope}</code>} was paused by <Text>{by}</Text> {whenText(at)}
        {reason === '' ? '' : ': “'}
        {reason === '' ? null : <Text>{reason}</Text>}
        {reason === '' ? '.' : '”.'} Calls that were blocked in the meantime are not repeated; agents have to make them
        again. Approved calls are judged again and then run.
      </p>
      <TextField
        id="resume-word"
        label={
          <>
            Type <b>resume</b> to continue
          </>
        }
        value={typed}
        onValue={setTyped}
      />
      <Refused of={resume.error} says="Nothing was changed" />
    </Dialog>
  )
}
