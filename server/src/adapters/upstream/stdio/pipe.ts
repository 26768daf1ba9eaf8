import type { Transport } from '@modelcontextprotocol/client'
import { cancelMessage, requestMessage, type MetaEnvelope, type MessageId } from '../messages.ts'
import { openInbox } from '../inbox.ts'
import type { OurRequest } from '../our-request.ts'
import { lost, pendingCalls, type AbandonReason, type Sending } from '../pending-calls.ts'
import type { StdioServer } from '../server-kind.ts'
import type { Wire, WireSetup } from '../wire.ts'
import { startChild } from './child.ts'

export type PipeSetup = Pick<WireSetup, 'noise' | 'onNotification'> & {
  readonly config: StdioServer
  readonly grace_ms: number
  readonly stderr: (line: string) => void
}

/** One child's stdin and stdout, shared by the SDK (discovery) and the direct path (calls), distinguished by ids. */
export function openPipe({ config, grace_ms, stderr, noise, onNotification }: PipeSetup): Wire {
  const server = config.name
  const pending = pendingCalls(config)
  const inbox = openInbox({
    server,
    output_limit: config.output_limit,
    pending,
    transport: () => transport,
    noise,
    onNotification,
  })

  const child = startChild(config, {
    line: (bytes) => inbox.receive(bytes.toString()),
    overlong: (line) => inbox.overlong(line),
    endless(line) {
      inbox.overlong(line)
      child.kill()
    },
    stderr,
  })
  const breakOff = (how: string) => {
    pending.endAll(lost(server, 'tool.broke_off', { how }))
    return transport.onclose?.()
  }
  void child.ended.then(breakOff)

  const transport: Transport & { readonly stderr: null; readonly pid: number | null } = {
    // The SDK recognizes a stdio transport by these two, and treats a silent server on one as an older server.
    stderr: null,
    pid: child.pid ?? null,
    async start() {
      const fault = await child.started
      if (fault !== undefined) throw new Error(fault)
    },
    async send(message) {
      if (!child.write(`${JSON.stringify(message)}\n`)) throw new Error('the tool server has ended')
    },
    close: () => child.close(grace_ms),
  }

  /** A class, because one is made for every call. */
  class Written implements Sending {
    readonly #request: OurRequest<unknown>
    readonly #envelope: MetaEnvelope
    readonly #noise_before = inbox.unreadable()

    constructor(request: OurRequest<unknown>, envelope: MetaEnvelope) {
      this.#request = request
      this.#envelope = envelope
    }

    send(id: MessageId): boolean {
      return child.write(requestMessage(id, this.#request, this.#envelope))
    }

    cancel(id: MessageId, why: AbandonReason) {
      child.write(cancelMessage(id, why, this.#envelope))
      // A line over the limit that did not end within a whole timeout will not end: every later answer would be part of it.
      if (why === 'timeout' && child.isSkipping()) child.kill()
      const unreadableLines = inbox.unreadable() - this.#noise_before
      return { unsent: false, ...(unreadableLines === 0 ? {} : { about: { unreadable: String(unreadableLines) } }) }
    }
  }

  return {
    transport,
    probe: 'once',
    ended: child.ended,
    isUsable: () => child.isUsable(),
    ask: (request, envelope) => pending.run(request, new Written(request, envelope)),
    faultOf: () => undefined,
    late: () => pending.late(),
    kill: () => child.kill(),
    close: () => child.close(grace_ms),
  }
}
