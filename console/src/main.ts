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
import 'react-dom/client'
import { OIDC_CALLBACK } from './api/login-words.ts'
import { comeBack, readLogin } from './api/login.ts'
import { applyTheme, readTheme } from './lib/theme.ts'

applyTheme(readTheme())
const { pathname, search } = location
if (pathname === OIDC_CALLBACK) {
  // What the issuer sent stays neither in the address nor in the history.
  history.replaceState(null, '', '/')
  queueMicrotask(() => void comeBack(search))
} else queueMicrotask(() => void readLogin())
// React is evaluated before this line and the first page after it, in two tasks, so that a slow phone can react in between.
const { start } = await import('./start.tsx')
start()
