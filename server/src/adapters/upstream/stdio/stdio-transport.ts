import { openConnection } from '../connection.ts'
import { harmlessLine } from '../harmless-text.ts'
import type { StdioServer } from '../server-kind.ts'
import { removeSecrets } from '../remove-secrets.ts'
import type { Transport } from '../transport.ts'
import type { OpenWire } from '../wire.ts'
import { openPipe } from './pipe.ts'
import { stderrRing } from './stderr-ring.ts'

/** A child process that communicates on stdin and stdout. The values of its configured environment count as secrets. */
export function stdioTransport(config: StdioServer, grace_ms: number, log: (line: string) => void): Transport {
  const secrets = Object.values(config.env)
  const hide = (says: string) => removeSecrets(secrets, says)
  const ring = stderrRing(
    // Colours could split a secret, so they are removed first.
    (line) => hide(harmlessLine(line)),
    (line) => log(`stderr: ${line}`),
    () => performance.now(),
  )
  const pipe: OpenWire = (deps) => {
    ring.begin()
    return openPipe({ ...deps, config, grace_ms, stderr: (line) => ring.add(line) })
  }
  return {
    connect: (deps, legacy) => openConnection([pipe], deps, legacy),
    stderr: () => ring.lines(),
    hide,
  }
}
