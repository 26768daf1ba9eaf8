import { useEffect, useState } from 'react'
import { logIn, logInWith, loginMethods, type LoginFailure, type LoginMethod } from '../api/login.ts'
import { Button } from '../parts/button.tsx'
import { Icon, Logo } from '../parts/icon.tsx'

const FAILURES: Readonly<Record<LoginFailure, string>> = {
  wrong: 'This key is not valid here. It may be revoked or expired. Create a new one with sluice keys create.',
  no_person: 'This key is an agent’s or a node’s. Only people log in here.',
  no_answer: 'Sluice is not responding, so you are not logged in. Try again when it is back.',
  too_many: 'Too many wrong keys were tried from here. Wait a little, then try again.',
}

/** The field is cleared before the request is sent, so that the key does not stay on the page. */
export function Login({ why }: { readonly why?: string | undefined }) {
  const [key, setKey] = useState('')
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<LoginFailure>()
  const [methods, setMethods] = useState<readonly LoginMethod[]>([])
  useEffect(() => {
    let isOver = false
    const read = async () => {
      const offered = await loginMethods()
      if (!isOver) setMethods(offered)
    }
    void read()
    return () => {
      isOver = true
    }
  }, [])
  const submit = async () => {
    setBusy(true)
    setFailure(undefined)
    const words = key
    setKey('')
    const answer = await logIn(words)
    setBusy(false)
    if (answer !== 'in') setFailure(answer)
  }
  const shown = failure === undefined ? why : FAILURES[failure]
  return (
    <main className="login">
      <form
        className="card"
        onSubmit={(event) => {
          event.preventDefault()
          if (key.trim() !== '' && !busy) void submit()
        }}
      >
        <span className="brand">
          <Logo />
          <span>Sluice</span>
        </span>
        <h1>Log in</h1>
        <div>
          <label className="label" htmlFor="key">
            Your key
          </label>
          <input
            id="key"
            className="input mono"
            type="password"
            autoComplete="off"
            aria-invalid={failure === 'wrong'}
            aria-describedby="key-hint"
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        </div>
        <p id="key-hint" className="small dim">
          An approver’s or admin’s key. Create one with <code>sluice keys create</code>.
        </p>
        {shown === undefined ? null : (
          <p className="hint wrong" role="alert">
            <Icon name="warn" />
            {shown}
          </p>
        )}
        <Button kind="primary" submit busy={busy} off={key.trim() === ''}>
          Log in
        </Button>
        {methods.length === 0 ? null : (
          <div className="login-others">
            <p className="small dim">Or log in with another account:</p>
            {methods.map(({ name }) => (
              <Button key={name} onClick={() => void logInWith(name)}>
                Log in with {name}
              </Button>
            ))}
          </div>
        )}
      </form>
    </main>
  )
}
