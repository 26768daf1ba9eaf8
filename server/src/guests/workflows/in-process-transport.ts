import type {
  IncomingMessage,
  MessageTransport,
  OutgoingMessage,
  TakeMessage,
  TakenMessage,
} from '../../kernel/ports/transports.ts'

export type InProcessTransport = MessageTransport & {
  /** Everything that was sent, in order. */
  readonly sent: readonly OutgoingMessage[]
  /** Delivers a message, as somebody in the same process. */
  say(
    message: Partial<IncomingMessage> & Pick<IncomingMessage, 'room' | 'sender' | 'text'>,
  ): Promise<readonly TakenMessage[] | 'later'>
  onSent(listener: (message: OutgoingMessage) => void): void
}

/** A transport without a network: for tests, and for documents that talk to each other in one gate. */
export function inProcessTransport(name = 'local'): InProcessTransport {
  const sent: OutgoingMessage[] = []
  const listeners = new Set<(message: OutgoingMessage) => void>()
  let take: TakeMessage | undefined
  let count = 0
  return {
    name,
    sent,
    reaches: () => true,
    async send(message) {
      // The same id is the same message.
      if (!sent.some(({ id }) => id === message.id)) {
        sent.push(message)
        for (const listener of listeners) listener(message)
      }
      return { is: 'sent' }
    },
    async listen(taking) {
      take = taking
      return async () => {
        take = undefined
      }
    },
    async say(message) {
      if (take === undefined) throw new Error('nobody receives messages of this transport yet')
      count += 1
      return take({ transport: name, id: `m${count}`, encrypted: false, directed: false, ...message })
    },
    onSent: (listener) => void listeners.add(listener),
  }
}
