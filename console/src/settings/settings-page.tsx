import { Suspense, useState } from 'react'
import type { ConsoleGuest } from '../guest.ts'
import { GUESTS } from '../guests.ts'
import { logOut } from '../api/login.ts'
import { queryClient } from '../api/queries.ts'
import { setSingleKeys, singleKeys } from '../lib/keys.ts'
import { useStore } from '../lib/store.ts'
import { readTheme, setTheme, THEMES, type Theme } from '../lib/theme.ts'
import { useMe } from '../inbox/use-me.ts'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { Text } from '../parts/text.tsx'
import { AskedPeople, Delegations } from './asked-people.tsx'
import { Channels } from './channels.tsx'
import { Doctor } from './doctor.tsx'
import { Health } from './health.tsx'
import { Keys } from './keys.tsx'
import { Passkeys } from './passkeys.tsx'
import { Passphrase } from './passphrase.tsx'

const guests: readonly ConsoleGuest[] = GUESTS
const ofDeciders = guests.flatMap(({ name, ofDeciders: Part }) => (Part === undefined ? [] : [{ name, Part }]))

export function SettingsPage() {
  const me = useMe()
  const decides = me?.kind === 'approver' || me?.kind === 'admin'
  const leave = (everywhere: boolean) => void logOut(everywhere).then(() => queryClient.clear())
  return (
    <>
      <div className="top">
        <h1>Settings</h1>
      </div>
      <div className="scroll">
        <div className="body settings">
          <Card title="You">
            <div className="card-body">
              <p>
                {me === undefined ? null : (
                  <>
                    Logged in as{' '}
                    <b>
                      <Text>{me.user}</Text>
                    </b>
                    , {me.kind} <code>{me.id}</code>
                    {me.how === 'key' ? ', with a key' : me.how === 'oidc' ? ', by your organisation' : ''}.
                  </>
                )}
              </p>
              <div className="acts">
                <Button onClick={() => leave(false)}>Log out</Button>
                <Button onClick={() => leave(true)}>Log out everywhere</Button>
              </div>
            </div>
          </Card>
          {decides ? <Passphrase /> : null}
          {decides ? <Passkeys /> : null}
          {decides
            ? ofDeciders.map(({ name, Part }) => (
                <Suspense key={name} fallback={null}>
                  <Part />
                </Suspense>
              ))
            : null}
          {decides ? <Channels /> : null}
          {decides ? <AskedPeople /> : null}
          {decides ? <Delegations /> : null}
          <Appearance />
          <Health />
          {me?.kind === 'admin' ? <Doctor /> : null}
          {me?.kind === 'admin' ? <Keys /> : null}
        </div>
      </div>
    </>
  )
}

function Appearance() {
  const [theme, choose] = useState<Theme>(readTheme)
  const keys = useStore(singleKeys)
  return (
    <Card title="This browser">
      <div className="card-body">
        <fieldset>
          <legend className="label">Colours</legend>
          <div className="tabs">
            {THEMES.map((name) => (
              <button
                key={name}
                type="button"
                aria-pressed={theme === name}
                onClick={() => {
                  setTheme(name)
                  choose(name)
                }}
              >
                {name === 'system' ? 'System' : name === 'light' ? 'Light' : 'Dark'}
              </button>
            ))}
          </div>
        </fieldset>
        <label className="check">
          <input type="checkbox" checked={keys} onChange={(event) => setSingleKeys(event.target.checked)} /> Single-key
          shortcuts are on, such as A to approve. Press ? for the list.
        </label>
      </div>
    </Card>
  )
}
