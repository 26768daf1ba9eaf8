import './styles/tokens.css'
import './styles/base.css'
import './styles/shell.css'
import './styles/parts.css'
import './styles/inbox.css'
import './styles/activity.css'
import './styles/tools.css'
import './styles/policy.css'
import './styles/overview.css'
import './styles/runs.css'
import './styles/flows.css'
import './styles/workflows.css'
import './styles/chat.css'
import './styles/pages.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { startTransition, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { pausesQuery, pendingQuery, queryClient } from './api/queries.ts'
import { readSession, session } from './api/session.ts'
import { readTheme, setTheme } from './lib/theme.ts'
import { router } from './router.tsx'
import { Login } from './shell/login.tsx'

setTheme(readTheme())
const place = document.getElementById('root')
if (place !== null) {
  const root = createRoot(place)
  session.follow(() => {
    const isIn = session.get().state === 'in'
    // Data that every page needs is requested before anything is drawn.
    if (isIn) void Promise.all([queryClient.prefetchQuery(pendingQuery), queryClient.prefetchQuery(pausesQuery)])
    // A transition is drawn in small slices, so that a slow phone can react in between.
    startTransition(() =>
      root.render(
        <StrictMode>
          <QueryClientProvider client={queryClient}>
            {isIn ? <RouterProvider router={router} /> : <Login />}
          </QueryClientProvider>
        </StrictMode>,
      ),
    )
  })
}
void readSession()
