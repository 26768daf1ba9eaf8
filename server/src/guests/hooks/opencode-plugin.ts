import type { Json } from '../../kernel/contract/json.ts'

/**
 * The plugin that opencode loads: it runs inside opencode, so it asks the gate itself, and refuses by throwing. `own`: what the
 * user permits, which opencode's settings deny as long as this plugin is not loaded.
 */
export function opencodePlugin(socket: string, own?: Json): string {
  return `// sluice gate plugin: asks the gate before every built-in tool. Installed by \`sluice init --write --hooks\`, removed by \`sluice init --undo\`.
import { request } from 'node:http'

const socketPath = ${JSON.stringify(socket)}
const WAIT_MS = 570000
const own = ${JSON.stringify(own)}

function ask(path, body, ms) {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body)
    const headers = {
      host: 'localhost',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      'x-sluice-as': 'agent:opencode',
    }
    const sent = request({ socketPath, path, method: 'POST', headers }, (answer) => {
      let read = ''
      answer.setEncoding('utf8')
      answer.on('data', (part) => (read += part))
      answer.on('error', reject)
      answer.on('end', () => {
        try {
          resolve({ status: answer.statusCode, json: JSON.parse(read) })
        } catch {
          reject(new Error('the gate stopped before it answered'))
        }
      })
    })
    const timer = setTimeout(() => {
      reject(new Error('the gate did not answer in time'))
      sent.destroy()
    }, ms)
    sent.on('close', () => clearTimeout(timer))
    sent.on('error', (error) =>
      reject(
        // opencode runs on Bun, which has names of its own for these.
        ['ENOENT', 'ECONNREFUSED', 'FailedToOpenSocket', 'ConnectionRefused'].includes(error.code)
          ? new Error('the gate is not running; start it with \`sluice up\`')
          : error,
      ),
    )
    sent.end(text)
  })
}

const isShell = (tool) => tool === 'bash'
const isRelative = (value) => typeof value === 'string' && value !== '' && !/^(?:[\\\\/]|[A-Za-z]:[\\\\/])/.test(value)
/** A relative path means something only with the folder it starts at. */
const isFrom = (tool, args) =>
  /patch/i.test(tool) || Object.keys(args).some((key) => /path|file|dir|folder/i.test(key) && isRelative(args[key]))

export const SluicePlugin = async ({ directory }) => {
  const used = ({ tool, sessionID }, args) => ({
    client: 'opencode',
    tool,
    thread: \`opencode:\${String(sessionID ?? 'session').replace(/[^\\w.:-]/g, '-')}\`.slice(0, 128),
    folders: [directory],
    args: isShell(tool)
      ? { command: args?.command ?? null, cwd: args?.workdir ?? directory }
      : { ...args, ...(isFrom(tool, args ?? {}) ? { [args.cwd === undefined ? 'cwd' : 'client_cwd']: directory } : {}) },
  })
  return {
    // The settings deny everything until this runs; what a project sets besides stays.
    config: async (config) => {
      const { '*': all, ...rest } = typeof config.permission === 'object' ? config.permission : { '*': config.permission }
      const mine = typeof own === 'string' ? { '*': own } : (own ?? {})
      config.permission = { ...mine, ...(all === 'deny' || all === undefined ? {} : { '*': all }), ...rest }
    },
    'tool.execute.before': async (input, output) => {
      let said
      try {
        said = await ask('/v1/judgements', { ...used(input, output.args), wait_ms: WAIT_MS }, WAIT_MS + 15000)
      } catch (error) {
        throw new Error(\`sluice: \${error.message}\`)
      }
      if (said.status === 200 && said.json?.decision === 'allow') return
      throw new Error(\`sluice: \${said.json?.reason ?? said.json?.title ?? 'the gate gave no verdict'}\`)
    },
    'tool.execute.after': async (input, output) => {
      const text = typeof output?.output === 'string' ? output.output : JSON.stringify(output ?? '')
      await ask('/v1/judgements/outcomes', { ...used(input, input.args), output: text }, 15000).catch(() => undefined)
    },
    'chat.message': async (input, output) => {
      const text = (output?.parts ?? [])
        .filter((part) => part.type === 'text' && part.synthetic !== true)
        .map((part) => part.text)
        .join('\\n')
      // A subagent's prompt is written by a model.
      if (text === '' || input?.parentID !== undefined) return
      const thread = \`opencode:\${String(input.sessionID).replace(/[^\\w.:-]/g, '-')}\`.slice(0, 128)
      await ask('/v1/judgements/words', { client: 'opencode', thread, text }, 15000).catch(() => undefined)
    },
  }
}
`
}
