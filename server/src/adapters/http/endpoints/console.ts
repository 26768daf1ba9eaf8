import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HELD_PATH } from '../../../kernel/contract/first-page.ts'
import { OIDC_CALLBACK } from '../../../kernel/identity/login.ts'
import { refuse } from '../../../kernel/contract/problems.ts'
import { endpoint, type At, type Endpoint } from '../endpoint.ts'
import { loginSecret } from '../login-cookie.ts'

/** No inline scripts and nothing from other origins, so that injected text cannot load or run anything. */
const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
}

const SHARED = {
  'content-security-policy': CSP,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  vary: 'accept-encoding',
}

/** The held calls are the first thing that somebody who is logged in sees, so the browser requests them with the scripts. */
const PRELOAD = `<${HELD_PATH}>; rel=preload; as=fetch; crossorigin=anonymous`

const NO_PAGE = { 'content-type': 'text/html; charset=utf-8', ...SHARED, 'cache-control': 'no-store' }

/** In a checkout the console is built beside the server. A published package has it next to its own bundled files. */
export const CONSOLE_FOLDER = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../../../../console/dist/' : '../console/', import.meta.url),
)

const NOT_BUILT = `<!doctype html><html lang="en"><title>Sluice</title><h1>Sluice</h1>
<p>The gate is up, but its console was not built. In a checkout, run <code>npm install</code>.</p></html>`

/** Serves the console's files. They give no rights: the page uses the API like any other client. */
export const consoleEndpoints = (folder: string = CONSOLE_FOLDER): readonly Endpoint[] => [
  ...['/', OIDC_CALLBACK].map((path) =>
    endpoint({
      at: `GET ${path}` as At,
      access: 'anyone',
      says: 'The console',
      undocumented: true,
      run(_, { header, door }) {
        const page = served(folder, 'index.html', header('accept-encoding'))
        const isIn = loginSecret(header, door.login.publicUrl) !== undefined
        if (page !== undefined && path === '/' && isIn) page.headers.set('link', PRELOAD)
        return page ?? new Response(NOT_BUILT, { headers: NO_PAGE })
      },
    }),
  ),
  ...(['/assets/{file}', '/icon.svg', '/manifest.webmanifest', '/push-worker.js'] as const).map((path) =>
    endpoint({
      at: `GET ${path}`,
      access: 'anyone',
      says: 'A file of the console',
      undocumented: true,
      run(_, { params: { file }, header }) {
        const name = file === undefined ? path.slice(1) : `assets/${file}`
        return served(folder, name, header('accept-encoding')) ?? refuse('route.unknown', { path: `/${name}` })
      },
    }),
  ),
]

/** A name that cannot leave the folder. */
const NAME = /^(?:assets\/)?[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/

/**
 * The current contents of one file. INVARIANT: a missing file is undefined and not an error: files may be replaced while the gate runs,
 * and a page that was opened before may ask for removed ones.
 */
function served(folder: string, name: string, accepts = ''): Response | undefined {
  const type = TYPES[extname(name)]
  if (type === undefined || !NAME.test(name)) return undefined
  const place = join(folder, name)
  const encoding = /\bbr\b/.test(accepts) ? 'br' : /\bgzip\b/.test(accepts) ? 'gzip' : undefined
  const packed = encoding === undefined ? undefined : bytesOf(`${place}.${encoding === 'br' ? 'br' : 'gz'}`)
  const bytes = packed ?? bytesOf(place)
  if (bytes === undefined) return undefined
  return new Response(bytes, {
    headers: {
      ...SHARED,
      'content-type': type,
      // A file under `assets/` has a digest of its contents in its name.
      'cache-control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      ...(packed !== undefined && encoding !== undefined ? { 'content-encoding': encoding } : {}),
    },
  })
}

const GONE = new Set(['ENOENT', 'ENOTDIR', 'EISDIR'])

function bytesOf(place: string): NonSharedBuffer | undefined {
  try {
    return readFileSync(place)
  } catch (error) {
    if (error instanceof Error && 'code' in error && GONE.has(String(error.code))) return undefined
    throw error
  }
}
