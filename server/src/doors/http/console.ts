import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { App } from './door.ts'
import { declareRoute } from './route.ts'

/** Nothing inline and nothing from elsewhere: a text that would slip onto the page could still load and run nothing. */
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

/** In a checkout the console is built beside the server; a published package holds it among the compiled files. */
const FOLDERS = ['../../../../console/dist/', '../../console/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
)

const NOT_BUILT = `<!doctype html><html lang="en"><title>Sluice</title><h1>Sluice</h1>
<p>The gate is up, but its console was not built. In a checkout, run <code>npm install</code>.</p></html>`

type File = { readonly type: string; readonly cache: string; readonly place: string }

/** The console's files. They hold no power: the page knocks at this door like anyone else. */
export function consoleRoutes(app: App): void {
  const folder = FOLDERS.find((path) => existsSync(join(path, 'index.html')))
  const files = folder === undefined ? new Map<string, File>() : filesIn(folder)
  declareRoute('get', '/', 'anyone')
  app.get('/', (c) => {
    const page = files.get('index.html')
    if (page !== undefined) return served(page, c.req.header('accept-encoding'))
    return c.body(NOT_BUILT, 200, {
      'content-type': 'text/html; charset=utf-8',
      ...SHARED,
      'cache-control': 'no-store',
    })
  })
  for (const path of ['/assets/{file}', '/icon.svg', '/manifest.webmanifest', '/push-worker.js'] as const) {
    declareRoute('get', path, 'anyone')
    app.get(path.replace('{file}', ':file'), (c, next) => {
      const file = files.get(c.req.path.slice(1))
      return file === undefined ? next() : Promise.resolve(served(file, c.req.header('accept-encoding')))
    })
  }
}

function filesIn(folder: string): ReadonlyMap<string, File> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'))
  return new Map(
    names.flatMap((name): [string, File][] => {
      const type = TYPES[extname(name)]
      if (type === undefined) return []
      // A file under `assets/` has a digest of its contents in its name.
      const cache = name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
      return [[name, { type, cache, place: join(folder, name) }]]
    }),
  )
}

function served({ type, cache, place }: File, accepts = ''): Response {
  const encoding = /\bbr\b/.test(accepts) ? 'br' : /\bgzip\b/.test(accepts) ? 'gzip' : undefined
  const packed = encoding === undefined ? undefined : `${place}.${encoding === 'br' ? 'br' : 'gz'}`
  const isPacked = packed !== undefined && existsSync(packed)
  return new Response(readFileSync(isPacked ? packed : place), {
    headers: {
      ...SHARED,
      'content-type': type,
      'cache-control': cache,
      ...(isPacked && encoding !== undefined ? { 'content-encoding': encoding } : {}),
    },
  })
}
