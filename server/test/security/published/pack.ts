import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../../../..')

/**
 * Packs the server as `npm publish` would and unpacks the tarball, over the dependencies of this checkout, so it needs no
 * network. The build runs in a copy, because other tests may run from the sources meanwhile. Returns the launcher.
 */
export function installPublished(folder: string): string {
  const copy = join(folder, 'checkout/server')
  mkdirSync(copy, { recursive: true })
  for (const file of ['tsconfig.base.json', 'LICENSE', 'README.md'])
    cpSync(join(ROOT, file), join(folder, 'checkout', file))
  const isOurs = (path: string) => !/[\\/](?:node_modules|dist)(?:[\\/]|$)/.test(path.slice(ROOT.length))
  cpSync(join(ROOT, 'console'), join(folder, 'checkout/console'), { recursive: true, filter: isOurs })
  const scripts = readdirSync(join(ROOT, 'server')).filter((name) => name.endsWith('.ts'))
  for (const part of ['src', 'bin', ...scripts, 'package.json', 'tsconfig.json', 'tsconfig.build.json'])
    cpSync(join(ROOT, 'server', part), join(copy, part), { recursive: true })
  linkDependencies(join(folder, 'checkout'), copy)
  // `prepack` builds.
  execFileSync('npm', ['pack', '--offline', '--silent'], { cwd: copy, stdio: ['ignore', 'ignore', 'inherit'] })
  const tarball = readdirSync(copy).find((name) => name.endsWith('.tgz'))
  if (tarball === undefined) throw new Error('npm pack made no tarball')
  const installed = join(folder, 'installed')
  mkdirSync(installed)
  execFileSync('tar', ['-xzf', join(copy, tarball), '-C', installed])
  linkDependencies(installed, join(installed, 'package'))
  return join(installed, 'package/bin/sluice')
}

function linkDependencies(above: string, own: string): void {
  symlinkSync(join(ROOT, 'node_modules'), join(above, 'node_modules'))
  symlinkSync(join(ROOT, 'server/node_modules'), join(own, 'node_modules'))
}
