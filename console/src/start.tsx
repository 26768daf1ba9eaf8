import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { startTransition, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { pausesQuery, pendingQuery, queryClient } from './api/queries.ts'
import { loginState, type LoginState } from './api/login.ts'
import { router } from './router.tsx'
import { Login } from './shell/login.tsx'
import { OtherPerson } from './shell/other-person.tsx'

/** Pages that are loaded apart are not waited for longer than this: the frame around them is shown first. */
const PATIENCE_MS = 50

function NotIn({ session: now }: { readonly session: LoginState }) {
  if (now.state === 'found' || now.state === 'kept') return <OtherPerson session={now} />
  return <Login why={now.state === 'out' ? now.why : undefined} />
}

/** Draws the page as soon as it is known who is logged in, and again when that changes. */
export function start(): void {
  const place = document.getElementById('root')
  if (place === null) return
  const root = createRoot(place)
  const draw = async () => {
    if (loginState.get().state === 'asking') return
    if (loginState.get().state === 'in') {
      // Data that every page needs is requested before anything is drawn.
      void Promise.all([queryClient.prefetchQuery(pendingQuery), queryClient.prefetchQuery(pausesQuery)])
      // A router that already knows its page draws it in the first pass; otherwise it would do so in a second one that cannot be interrupted.
      await Promise.race([router.load(), new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))])
    }
    const now = loginState.get()
    // What one person was shown is never shown to the next.
    if (now.state !== 'in') queryClient.clear()
    // A transition is drawn in small slices, so that a slow phone can react in between.
    startTransition(() =>
      root.render(
        <StrictMode>
          <QueryClientProvider client={queryClient}>
            {now.state === 'in' ? <RouterProvider router={router} /> : <NotIn session={now} />}
          </QueryClientProvider>
        </StrictMode>,
      ),
    )
  }
  loginState.follow(() => void draw())
  void draw()
}
