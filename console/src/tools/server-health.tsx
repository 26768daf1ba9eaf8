import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ask } from '../api/client.ts'
import type { Server } from '../api/types.ts'
import { say } from '../lib/announce.ts'
import { useMay } from '../lib/may.ts'
import { many, whenText } from '../lib/time.ts'
import { Button } from '../parts/button.tsx'
import { Fold } from '../parts/fold.tsx'
import { GateText } from '../parts/gate-text.tsx'
import { Icon } from '../parts/icon.tsx'
import { Note } from '../parts/note.tsx'
import { Refused } from '../parts/refused.tsx'
import { Text } from '../parts/text.tsx'

/** What a server's state is called here; a state of a newer gate is shown by its own name. */
const STATES: Readonly<Record<string, string>> = {
  starting: 'starting',
  ready: 'ready',
  needs_login: 'needs a login',
  closed: 'closed',
}

type State = Pick<Server, 'state' | 'failures'>

/** One that failed and is tried again right now is still down. */
export const isDown = ({ state, failures }: State): boolean =>
  state === 'waiting' || (state === 'starting' && failures > 0)

export const stateWord = (server: State): string => (isDown(server) ? 'down' : (STATES[server.state] ?? server.state))

const SHOWN_LINES = 3

type HealthProps = { readonly server: Server; readonly tools: number }

/** Why a server cannot be called now, what it wrote last, and another attempt. */
export function ServerHealth({ server, tools }: HealthProps) {
  const { state, since, failures, last_failure, stderr, breaker, login } = server
  if (state === 'ready')
    return breaker === 'open' ? (
      <p className="hint finding">
        <Icon name="warn" />
        Too many calls failed in a row, so no call is sent for a while.
      </p>
    ) : null
  // Where people can log in, that is offered instead.
  if ((state === 'starting' && failures === 0) || (state === 'needs_login' && login !== undefined)) return null
  const effect = tools === 0 ? 'its tools are not known yet' : `its ${many(tools, 'tool')} cannot be called`
  return (
    <div className="server-health">
      <Note kind={isDown(server) ? 'block' : 'ask'} icon="warn" small>
        <p>
          <b>
            <Text>{server.server}</Text>{' '}
            {state === 'needs_login' ? `needs a login: ${effect}.` : `is ${stateWord(server)}: ${effect}.`}
          </b>
        </p>
        {last_failure === undefined ? null : (
          <p className="small">
            Reason: <GateText>{last_failure}</GateText>
          </p>
        )}
        <p className="small dim">
          Since {whenText(since).replace(/^(?:at|on) /, '')}
          {failures === 0 ? '.' : `, ${many(failures, 'attempt')} failed. Sluice tries again by itself.`}
        </p>
        <LastLines of={stderr} />
        <div className="acts">
          <RetryServer server={server.server} />
        </div>
      </Note>
    </div>
  )
}

function LastLines({ of }: { readonly of: readonly string[] }) {
  if (of.length === 0) return null
  const lines = (shown: readonly string[]) => (
    <pre className="server-lines" tabIndex={0} aria-label="Last lines of its output">
      {shown.map((line, at) => (
        <span key={at}>
          <Text>{line}</Text>
          {'\n'}
        </span>
      ))}
    </pre>
  )
  return (
    <div>
      <p className="small dim">Last lines of its output (stderr):</p>
      {lines(of.slice(-SHOWN_LINES))}
      {of.length > SHOWN_LINES ? <Fold label={`All ${of.length} lines`}>{lines(of)}</Fold> : null}
    </div>
  )
}

/** Tries at once, for those who may; otherwise nothing is shown. */
export function RetryServer({ server }: { readonly server: string }) {
  const mayRetry = useMay('decide')
  const client = useQueryClient()
  const retry = useMutation({
    mutationFn: () => ask<Server>(`/v1/servers/${encodeURIComponent(server)}/retry`, { method: 'POST' }),
    onSuccess: (now) =>
      say(
        now.state === 'ready'
          ? `${server} is ready, with ${many(now.tools, 'tool')}.`
          : `${server} is still ${stateWord(now)}.`,
      ),
    onSettled: () =>
      Promise.all(['servers', 'tools', 'attention'].map((key) => client.invalidateQueries({ queryKey: [key] }))),
  })
  if (!mayRetry) return null
  return (
    <>
      <Button size="small" busy={retry.isPending} label={`Retry ${server}`} onClick={() => retry.mutate()}>
        Retry
      </Button>
      <Refused of={retry.error} says="No attempt was made" />
    </>
  )
}
