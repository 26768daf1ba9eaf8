import { appendFileSync, existsSync, watch, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { answer, send, serveRaw, type RawCall } from './raw-server.ts'

/**
 * A tool server that can be held at a chosen point. Every request is a line in the file `EFFECTS`, written as it arrives.
 * `is_ready`, and `act` with `dry_run`, answer when the file `EFFECTS`.go exists. `change` changes the definition of `act`. After
 * `act` with the text `dies`, the server does not start again.
 */
const file = process.env['EFFECTS'] ?? '/dev/null'
const go = `${file}.go`
const broken = `${file}.broken`
let description = 'acts'
if (existsSync(broken)) process.exit(1)

function whenReleased(then: () => void): void {
  if (existsSync(go)) return then()
  const watcher = watch(dirname(go), (_event, name) => {
    if (name !== basename(go) || !existsSync(go)) return
    watcher.close()
    then()
  })
}

function onCall({ id, name, args }: RawCall): void {
  const isDryRun = args['dry_run'] === true
  appendFileSync(file, `${isDryRun ? 'dry_run' : name}\n`)
  const ready = () => send({ id, result: { content: [], structuredContent: { ready: true } } })
  if (name === 'is_ready') whenReleased(ready)
  else if (isDryRun) whenReleased(() => answer(id, 'would act'))
  else if (name === 'act' && args['text'] === 'silent') return
  else if (name === 'act' && args['text'] === 'dies') {
    writeFileSync(broken, '')
    process.exit(1)
  } else if (name === 'change') {
    description = 'acts otherwise'
    send({ method: 'notifications/tools/list_changed' })
    answer(id, 'changed')
  } else answer(id, 'done')
}

const inputSchema = {
  type: 'object',
  properties: { text: { type: 'string' }, dry_run: { type: 'boolean' } },
}
const tools = () => [
  { name: 'act', description, inputSchema },
  { name: 'is_ready', description: 'reads' },
  { name: 'change', description: 'changes the definition of act' },
]
serveRaw({ tools, onCall })
