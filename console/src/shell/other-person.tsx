import { acceptFound, changePerson, readLogin, type LoginState } from '../api/login.ts'
import { Button } from '../parts/button.tsx'
import { Logo } from '../parts/icon.tsx'

type Other = Extract<LoginState, { readonly state: 'found' | 'kept' }>

/** Nobody becomes somebody else without saying so: the page names both people and changes nothing by itself. */
export function OtherPerson({ session }: { readonly session: Other }) {
  const { here } = session
  const words =
    session.state === 'kept'
      ? {
          title: `You are still logged in as ${here}`,
          says: `Now a login as ${session.wanted} was completed in this browser. Nothing has changed. If you did not log in as ${session.wanted}, stay logged in as ${here}: somebody may have sent you their own login.`,
          keep: `Stay logged in as ${here}`,
          change: `Log out ${here}, then log in again`,
        }
      : {
          title: `This browser is logged in as ${here}`,
          says:
            session.known === undefined
              ? `But nobody logged in as ${here} on this page. If that was not you, log out: another program on this machine may have done it.`
              : `But you logged in as ${session.known} on this page. If you are not ${here}, log out: another program on this machine may have changed it.`,
          keep: `Continue as ${here}`,
          change: `Log out ${here}`,
        }
  return (
    <main className="login">
      <form className="card" onSubmit={(event) => event.preventDefault()}>
        <span className="brand">
          <Logo />
          <span>Sluice</span>
        </span>
        <h1>{words.title}</h1>
        <p role="alert">{words.says}</p>
        <Button
          kind={session.state === 'kept' ? 'primary' : 'plain'}
          onClick={() => (session.state === 'kept' ? void readLogin() : acceptFound())}
        >
          {words.keep}
        </Button>
        <Button
          kind={session.state === 'kept' ? 'plain' : 'primary'}
          onClick={() => void changePerson(session.state === 'kept' ? session.issuer : undefined)}
        >
          {words.change}
        </Button>
      </form>
    </main>
  )
}
