import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { App } from './door.ts'
import { declareRoute } from './route.ts'

const CSP =
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const PAGES: readonly { readonly path: string; readonly file: string; readonly type: string }[] = [
  { path: '/', file: 'index.html', type: 'text/html; charset=utf-8' },
  { path: '/status.js', file: 'status.js', type: 'text/javascript; charset=utf-8' },
]

/** The console's files. They hold no power: the page knocks at this door like anyone else. */
export function consoleRoutes(app: App): void {
  const folder = new URL('../../../../console/public/', import.meta.url)
  for (const { path, file, type } of PAGES) {
    const place = fileURLToPath(new URL(file, folder))
    if (!existsSync(place)) continue
    const text = readFileSync(place, 'utf8')
    declareRoute('get', path, 'anyone')
    app.get(path, (c) =>
      c.body(text, 200, { 'content-type': type, 'content-security-policy': CSP, 'cache-control': 'no-cache' }),
    )
  }
}
