import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from './bench.ts'

const here = import.meta.dirname
const names = readdirSync(here, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(join(here, entry.name, 'bench.ts')))
  .map((entry) => entry.name)

const [name, ...rest] = process.argv.slice(2)
if (name === undefined || !names.includes(name)) {
  console.error(`usage: npm run -s bench -- <${names.join(' | ')}> [--json] [options]`)
  process.exit(64)
}
const json = rest.includes('--json')
const { bench } = (await import(`./${name}/bench.ts`)) as { bench: Bench }
if (bench.needsPeers !== undefined && peersMissing()) {
  console.error('installing the peers to compare with, once')
  try {
    // No peer needs its install script: the existing ones compile modules that are not used, or send statistics.
    // Not `npm ci`: it fails on optional packages for other platforms that a registry does not have. The lock file still decides the versions.
    const options = ['install', '--no-save', '--silent', '--ignore-scripts']
    execFileSync('npm', options, { cwd: join(here, 'peers'), stdio: ['ignore', 2, 2] })
  } catch (error) {
    if (bench.needsPeers !== 'if available') throw error
    console.error('the peers could not be installed; what is missing is left out')
  }
}
const report = await reportOf(rest.filter((word) => word !== '--json'))
mkdirSync(join(here, 'results'), { recursive: true })
writeFileSync(join(here, 'results', `${name}.json`), `${JSON.stringify(report, null, 2)}\n`)
console.log(json ? JSON.stringify(report) : bench.table(report))
process.exit(0)

async function reportOf(options: readonly string[]): Promise<object> {
  try {
    return await bench.run(options)
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'Complaint') throw error
    console.error(`bench ${name}: ${error.message}`)
    return process.exit(1)
  }
}

/** Also true if some were added after the others were installed. */
function peersMissing(): boolean {
  const { dependencies } = JSON.parse(readFileSync(join(here, 'peers/package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>
  }
  return Object.keys(dependencies).some((peer) => !existsSync(join(here, 'peers/node_modules', peer)))
}
