/**
 * Records the built-in tools that real coding agents offer to their model, for the packs: `node server/src/guests/hooks/test/real/record-tools.suite.ts`. They run in a
 * network namespace with nothing but loopback. It stores the names of tools and arguments; the texts belong to their authors.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CACHE, installClients, PACKAGES, REAL_CLIENTS, runClient } from './clients.suite.ts'
import { offeredTools } from './offered-tools.suite.ts'
import { scriptedModel } from './scripted-model.suite.ts'

const INSIDE = 'SLUICE_IN_NAMESPACE'
const RECORDED = join(import.meta.dirname, '../../../packs/test/clients')

if (process.env[INSIDE] === undefined) {
  installClients()
  const ran = spawnSync(
    'unshare',
    ['-rn', 'sh', '-c', `ip link set lo up && exec '${process.execPath}' '${import.meta.filename}'`],
    { stdio: 'inherit', env: { ...process.env, [INSIDE]: '1' } },
  )
  process.exit(ran.status ?? 1)
}

const model = await scriptedModel()
for (const client of REAL_CLIENTS) {
  const base = mkdtempSync(join(tmpdir(), 'sluice-record-'))
  const place = { home: join(base, 'home'), work: join(base, 'work'), model: model.url }
  for (const folder of [place.home, place.work]) mkdirSync(folder, { recursive: true })
  client.prepare(place)
  model.play([{ say: 'finished' }])
  await runClient(client, place, 'hello')
  const name = PACKAGES[client.client]
  const { version } = JSON.parse(readFileSync(join(CACHE, 'node_modules', name, 'package.json'), 'utf8')) as {
    version: string
  }
  const tools = offeredTools(model.requests[0] ?? '{}')
  const text = JSON.stringify({ client: client.client, recorded_from: `${name} ${version}`, tools }, null, 2)
  writeFileSync(join(RECORDED, `${client.client}.json`), `${text}\n`)
  console.log(`${client.client}: ${tools.length} tools of ${name} ${version}`)
  rmSync(base, { recursive: true, force: true })
}
model.close()
process.exit(0)
