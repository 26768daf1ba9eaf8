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
import './styles/chat.css'
import './styles/pages.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/queries.ts'
import { readSession, session } from './api/session.ts'
import { useStore } from './lib/store.ts'
import { readTheme, setTheme } from './lib/theme.ts'
import { router } from './router.tsx'
import { Login } from './shell/login.tsx'

function Console() {
  const { state } = useStore(session)
  if (state === 'asking') return null
  return state === 'in' ? <RouterProvider router={router} /> : <Login />
}

setTheme(readTheme())
void readSession()
const place = document.getElementById('root')
if (place !== null)
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <Console />
      </QueryClientProvider>
    </StrictMode>,
  )
