import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { z } from 'zod'
import type {
  ServerLoginAnswer,
  ServerLoginStatusAnswer,
} from '../../../../server/src/guests/server-logins/login-answers.ts'
import type { ServerLoginProps } from '../../guest.ts'
import { ask } from '../../api/client.ts'
import { say } from '../../lib/announce.ts'
import { useMay } from '../../lib/may.ts'
import { Button } from '../../parts/button.tsx'
import { Refused } from '../../parts/refused.tsx'
import { TextField } from '../../parts/text-field.tsx'
import { Text } from '../../parts/text.tsx'

type Status = z.infer<typeof ServerLoginStatusAnswer>
const LOOK_MS = 2_000

/** Logging in at a tool server: in a tab of its own, because the other side’s page is not ours. */
export function ServerLogin({ server, per, needed }: ServerLoginProps) {
  // The gate's own login is an admin's to see, start and end.
  const mayLogIn = useMay('administer') || per === 'user'
  const client = useQueryClient()
  const [begun, setBegun] = useState<string>()
  const [pasted, setPasted] = useState('')
  const path = `/v1/servers/${encodeURIComponent(server)}/login`
  const status = useQuery({
    queryKey: ['servers', 'login', server],
    queryFn: ({ signal }) => ask<Status>(path, { signal }),
    enabled: mayLogIn,
    retry: false,
    staleTime: 0,
    refetchInterval: begun === undefined ? false : LOOK_MS,
  })
  const isIn = status.data?.state === 'logged_in'
  const again = () => client.invalidateQueries({ queryKey: ['servers'] })
  useEffect(() => {
    if (!isIn || begun === undefined) return
    setBegun(undefined)
    say(`Logged in at ${server}.`)
    void client.invalidateQueries({ queryKey: ['servers'] })
    void client.invalidateQueries({ queryKey: ['tools'] })
  }, [isIn, begun, server, client])
  const start = useMutation({
    mutationFn: () => ask<z.infer<typeof ServerLoginAnswer>>(path, { method: 'POST', json: {} }),
    onSuccess: ({ url }) => setBegun(url),
  })
  const finish = useMutation({
    mutationFn: () => ask(`${path}/finish`, { method: 'POST', json: { url: pasted.trim() } }),
    onSuccess: () => setPasted(''),
    onSettled: again,
  })
  const end = useMutation({
    mutationFn: () => ask(path, { method: 'DELETE' }),
    onSuccess: () => say(`Logged out at ${server}.`),
    onSettled: again,
  })
  if (!mayLogIn) return needed ? <p className="hint finding">An admin has to log in at this server.</p> : null
  if (status.data === undefined || (!needed && !isIn))
    return <Refused of={status.error} says="Its login could not be read" />
  return (
    <div className="server-login">
      {isIn && !needed ? (
        <>
          <span className="small dim">
            Logged in
            {status.data.issuer === undefined ? null : (
              <>
                {' '}
                at <Text>{status.data.issuer}</Text>
              </>
            )}
            .
          </span>
          <Button size="small" busy={end.isPending} onClick={() => end.mutate()}>
            Log out
          </Button>
        </>
      ) : begun === undefined ? (
        <Button size="small" busy={start.isPending} onClick={() => start.mutate()}>
          Log in …
        </Button>
      ) : (
        <>
          <a className="btn small" href={begun} target="_blank" rel="noopener noreferrer">
            Open the login page
          </a>
          <span className="small dim">It opens in a tab of its own. This page notices when you are logged in.</span>
          <TextField
            id={`paste-${server}`}
            label="If that tab cannot reach the gate, paste the address it ends on"
            mono
            value={pasted}
            onValue={setPasted}
          />
          <Button size="small" off={pasted.trim() === ''} busy={finish.isPending} onClick={() => finish.mutate()}>
            Finish
          </Button>
        </>
      )}
      <Refused of={start.error ?? finish.error ?? end.error} says="Nothing was changed" />
    </div>
  )
}
