import { appendFileSync } from 'node:fs'
import { answer, serveRawHttp, type HttpCall } from './raw-http-server.ts'

/** As `effects.ts`, over HTTP: every effect is one line in the file `EFFECTS`, written before the answer. */
const file = process.env['EFFECTS'] ?? '/dev/null'
const leave = ({ name, args }: HttpCall) => appendFileSync(file, `${name} ${JSON.stringify(args)}\n`)

const TOOLS: Record<string, (call: HttpCall) => unknown> = {
  look: (call) => answer(call, 'nothing to see'),
  note(call) {
    if (call.args['dry_run'] === true) return answer(call, 'would note')
    leave(call)
    return answer(call, `noted ${String(call.args['text'])}`)
  },
  wipe(call) {
    leave(call)
    return answer(call, 'wiped')
  },
  /** Writes the note, and disconnects before it answers. */
  slow_note(call) {
    leave(call)
    return call.request.socket.destroy()
  },
  /** Every session is forgotten. */
  fails(call) {
    served.sessions.clear()
    return answer(call, 'forgotten')
  },
}

const served = serveRawHttp({
  tools: () => Object.keys(TOOLS).map((name) => ({ name, description: name })),
  onCall: (call) => void TOOLS[call.name]?.(call),
})
