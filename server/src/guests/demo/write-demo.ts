import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const TEMPLATE = join(import.meta.dirname, import.meta.url.endsWith('.ts') ? 'servers' : '../demo')
const WELCOME = `This is the only folder that the files server may access.
Ask for a change: it is held until you approve it. Ask for a file outside: it is blocked.
`

/** The demo's folder, visible and editable: a configuration, a folder for files, an outbox. Existing files are not changed. Whether it wrote the configuration. */
export function writeDemo(folder: string): boolean {
  const file = resolve(folder, 'sluice.yaml')
  if (existsSync(file)) return false
  mkdirSync(join(folder, 'files'), { recursive: true })
  writeFileSync(join(folder, 'files/welcome.txt'), WELCOME)
  const text = readFileSync(join(TEMPLATE, 'sluice.yaml'), 'utf8')
  writeFileSync(
    file,
    text.replaceAll(/\{\{(outbox|files)\}\}/g, (_, name: string) => scriptOf(name)),
  )
  return true
}

/** In a checkout the sources run directly; a published package contains the compiled files. */
function scriptOf(name: string): string {
  const source = join(TEMPLATE, `${name}.ts`)
  return existsSync(source) ? source : join(TEMPLATE, `${name}.js`)
}
