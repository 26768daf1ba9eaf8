import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')

/** Copies the files of the project to a temporary folder, with its installed packages. Returns the folder. */
export function copyTree(isKept: (path: string) => boolean = () => true): string {
  const copy = mkdtempSync(join(tmpdir(), 'sluice-copy-'))
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  for (const path of files.trim().split('\n')) {
    if (!isKept(path) || !existsSync(join(root, path))) continue
    mkdirSync(dirname(join(copy, path)), { recursive: true })
    cpSync(join(root, path), join(copy, path), { verbatimSymlinks: true })
  }
  for (const folder of ['.', 'server', 'console']) linkPackages(join(root, folder), join(copy, folder), copy)
  return copy
}

/** Links each installed package, but the server to the copy. */
function linkPackages(from: string, to: string, copy: string): void {
  if (!existsSync(join(from, 'node_modules'))) return
  mkdirSync(join(to, 'node_modules'))
  for (const name of readdirSync(join(from, 'node_modules')))
    symlinkSync(
      name === 'sluice' ? join(copy, 'server') : join(from, 'node_modules', name),
      join(to, 'node_modules', name),
    )
}

/** Starts the gate of a copy with the configuration in this folder. Returns when it is up. */
export async function startCopy(copy: string, folder: string): Promise<ChildProcess> {
  const gate = spawn(process.execPath, [join(copy, 'server/bin/sluice'), 'up', '--trust'], { cwd: folder })
  let said = ''
  await new Promise<void>((done, fail) => {
    gate.stderr.on('data', (text) => (said += String(text)))
    gate.stdout.on('data', (text) => {
      said += String(text)
      if (said.includes('sluice is up')) done()
    })
    gate.once('exit', (code) => fail(new Error(`the gate ended with ${code}: ${said}`)))
  })
  return gate
}
