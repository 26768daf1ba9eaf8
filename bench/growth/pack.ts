import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

/** The package as it is published, bundled into `folder`, over the dependencies of this checkout. Returns its launcher. */
export function packInto(folder: string): string {
  const server = join(ROOT, 'server')
  mkdirSync(folder, { recursive: true })
  execFileSync(process.execPath, [join(server, 'bundle.ts'), join(folder, 'dist')], { stdio: ['ignore', 2, 2] })
  for (const part of ['bin', 'package.json']) cpSync(join(server, part), join(folder, part), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return join(folder, 'bin/sluice')
}
