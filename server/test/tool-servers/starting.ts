import { existsSync, writeFileSync } from 'node:fs'
import { answer, serveRaw } from './raw-server.ts'

/** Servers with problems at the start. The first argument says which, the second is a file for a mark. */
const [how, mark = ''] = process.argv.slice(2)

if (how === 'dies') process.exit(1)
if (how === 'complains' && !existsSync(mark)) {
  // Different in each run, in colour, and with a letter that reverses the text.
  process.stderr.write(`run ${process.pid}\n\u001b[31mError\u001b[0m: TOKEN\u202e is not set\n`)
  process.exit(1)
}
if (how === 'dies_once' && !existsSync(mark)) {
  writeFileSync(mark, '')
  process.exit(1)
}
const serve = () =>
  serveRaw({
    tools: () => [{ name: 'echo' }],
    onCall: ({ id, args }) => answer(id, JSON.stringify(args)),
    before(message) {
      // As servers on some older SDKs do: anything but `initialize` first is the end.
      if (how === 'dies_of_probe' && message.method === 'server/discover') process.exit(1)
      return how === 'silent' || (how === 'ignores_probe' && message.method === 'server/discover')
    },
  })
if (how === 'slow') setTimeout(serve, 1_500)
else serve()
