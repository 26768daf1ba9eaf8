import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { askProven } from '../api/ask-proven.ts'
import type { ListedTool } from '../api/types.ts'
import { say } from '../lib/announce.ts'
import { useMay } from '../lib/may.ts'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Fold } from '../parts/fold.tsx'
import { Icon } from '../parts/icon.tsx'
import { Note } from '../parts/note.tsx'
import { Refused } from '../parts/refused.tsx'
import { Risk } from '../parts/risk.tsx'
import { Text } from '../parts/text.tsx'
import { TypedField } from '../parts/typed-field.tsx'
import { Value } from '../inbox/fields.tsx'
import { DefinitionDiff } from './definition-diff.tsx'
import { effectsOf } from './tools-page.tsx'
import { reviewQuery } from './tools-query.ts'
import { TryIt } from './try-it.tsx'

/** One tool: what it does and how that is known, what its server changed, and a way to try it. */
export function ToolDrawer({ tool }: { readonly tool: ListedTool }) {
  const go = useNavigate()
  const mayReview = useMay('oversee')
  const review = useQuery({ ...reviewQuery(tool.tool_id), enabled: !tool.admitted && mayReview })
  const mayAdmit = useMay('administer')
  const [isAdmitting, setAdmitting] = useState(false)
  return (
    <aside className="drawer" aria-label="One tool">
      <div className="drawer-top">
        <Risk of={tool.risk} long />
        <span className="grow" />
        <Button kind="quiet" size="small" label="Close" onClick={() => void go({ to: '/tools' })}>
          <Icon name="cross" />
        </Button>
      </div>
      <div className="drawer-body">
        <h2 className="drawer-what">
          <code>{tool.tool_id}</code>
        </h2>
        <p className="small dim">
          Effects: {effectsOf(tool)}.{' '}
          {tool.idempotent ? 'Sluice may call it again after a crash.' : 'Sluice never calls it twice.'}{' '}
          {tool.dry_run ? 'It has a dry run.' : 'It has no dry run.'}
        </p>
        {tool.admitted ? null : (
          <>
            <Note kind="ask" icon="diff" small>
              <p>
                <b>
                  {tool.admitted_hash === undefined
                    ? 'This tool is new.'
                    : 'The definition of this tool changed since it was admitted.'}
                </b>{' '}
                The server changed the definition, not you. Calls are held until somebody admits it.
              </p>
            </Note>
            {review.data === undefined ? null : (
              <Card title="What changed" aside="from the server, unverified">
                <DefinitionDiff review={review.data} />
              </Card>
            )}
            {mayAdmit ? (
              <div className="acts">
                <span className="grow" />
                <Button size="small" off={review.data === undefined} onClick={() => setAdmitting(true)}>
                  Admit the new definition …
                </Button>
              </div>
            ) : null}
          </>
        )}
        <Card title="Description" aside="from the server, unverified">
          <div className="card-body small">
            {tool.description === undefined ? (
              <span className="faint">No description.</span>
            ) : (
              <span>
                “<Text lines>{tool.description}</Text>”
              </span>
            )}
            <Fold label="Input schema">
              <Value of={tool.input_schema} />
            </Fold>
          </div>
        </Card>
        <TryIt tool={tool} />
        <p className="tiny faint ids">definition {tool.definition_hash.slice(0, 16)}…</p>
      </div>
      {isAdmitting && review.data !== undefined ? (
        <AdmitDialog tool={tool.tool_id} hash={review.data.after.hash} onClose={() => setAdmitting(false)} />
      ) : null}
    </aside>
  )
}

type AdmitProps = { readonly tool: string; readonly hash: string; readonly onClose: () => void }

/** Sends the hash of the shown definition, so that exactly that one is admitted. */
function AdmitDialog({ tool, hash, onClose }: AdmitProps) {
  const client = useQueryClient()
  const [typed, setTyped] = useState('')
  const admit = useMutation({
    mutationFn: () =>
      askProven(`/v1/tools/${encodeURIComponent(tool)}/admit`, { method: 'POST', json: { definition_hash: hash } }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['tools'] })
      say('Admitted.')
      onClose()
    },
  })
  return (
    <Dialog
      title="Admit this definition?"
      onClose={onClose}
      cancel="Cancel"
      act={
        <Button kind="primary" off={typed.trim() !== tool} busy={admit.isPending} onClick={() => admit.mutate()}>
          Admit
        </Button>
      }
    >
      <p>Agents will see the new definition, and from now on its calls are judged as calls of an admitted tool.</p>
      <TypedField id="admit" word={tool} value={typed} onValue={setTyped} />
      <Refused of={admit.error} says="It was not admitted" />
    </Dialog>
  )
}
