import type { WorkflowError } from './workflow.ts'
import type { Protocol, WorkflowDocument } from './workflow-document.ts'

/** What starts the protocols of one version of a document, looked up in constant time however many there are. */
export type CompiledTriggers = {
  readonly rooms: ReadonlySet<string> | 'all'
  readonly senders: ReadonlySet<string> | 'all'
  readonly encryptedOnly: boolean
  readonly byPrefix: ReadonlyMap<string, Protocol>
  readonly byEvent: ReadonlyMap<string, Protocol>
  /** Sender, room and protocol of each trusted peer. */
  readonly peers: ReadonlySet<string>
}

const admitted = (names: readonly string[]) => (names.includes('*') ? 'all' : new Set(names))
const peerKey = (sender: string, room: string, protocol: string) => JSON.stringify([sender, room, protocol])

export function compileTriggers({ trust, workflow }: WorkflowDocument): CompiledTriggers {
  const of = (type: Protocol['trigger']['type']) =>
    new Map(
      workflow.protocols
        .filter(({ trigger }) => trigger.type === type)
        .map((protocol) => [protocol.trigger.prefix, protocol]),
    )
  return {
    rooms: admitted(trust.allowedRooms),
    senders: admitted(trust.allowedSenders),
    encryptedOnly: trust.requireE2EE,
    byPrefix: of('matrix.protocol_message'),
    byEvent: of('gateway.event'),
    peers: new Set(
      trust.trustedPeers.flatMap(({ mxid, roomId, protocols }) =>
        protocols.map((protocol) => peerKey(mxid, roomId, protocol)),
      ),
    ),
  }
}

export const admitsRoom = ({ rooms }: CompiledTriggers, room: string): boolean => rooms === 'all' || rooms.has(room)

type Message = {
  readonly room: string
  readonly sender: string
  readonly text: string
  readonly encrypted: boolean
  readonly directed: boolean
}

/** `protocol`: a trusted peer sent a protocol message; `payload` is the unparsed text after its prefix. */
export type JudgedMessage =
  | { readonly is: 'protocol'; readonly protocol: Protocol; readonly payload: string }
  | { readonly is: 'turn' }
  | { readonly is: 'ignored' }
  | { readonly is: 'refused'; readonly code: WorkflowError; readonly says: string; readonly protocol?: string }

const FIRST_WORD = /^\S+/
/** The format of another agent's protocol message. */
const PROTOCOL_SHAPE = /^[A-Z][A-Z0-9_]+\s*\{/

/**
 * Checks room, sender, prefix and peer, in this order.
 * INVARIANT: nothing after the prefix is parsed here, so an untrusted peer causes no work; and a peer is trusted by sender, room
 * and protocol together, whoever else may write.
 */
export function judgeMessage(
  triggers: CompiledTriggers,
  { room, sender, text, encrypted, directed }: Message,
): JudgedMessage {
  const refused = (code: WorkflowError, says: string, protocol?: string): JudgedMessage => ({
    is: 'refused',
    code,
    says,
    ...(protocol === undefined ? {} : { protocol }),
  })
  if (!admitsRoom(triggers, room)) return refused('trust_mismatch', 'the room is not allowed')
  if (triggers.encryptedOnly && !encrypted) return refused('trust_mismatch', 'the message is not encrypted')
  if (triggers.senders !== 'all' && !triggers.senders.has(sender))
    return refused('trust_mismatch', 'the sender is not allowed')
  const word = FIRST_WORD.exec(text)?.[0] ?? ''
  const protocol = triggers.byPrefix.get(word)
  if (protocol === undefined) {
    if (PROTOCOL_SHAPE.test(text)) return refused('invalid_protocol_message', 'the prefix is not known')
    return { is: directed ? 'turn' : 'ignored' }
  }
  if (!triggers.peers.has(peerKey(sender, room, protocol.id)))
    return refused('trust_mismatch', 'the sender is not a trusted peer for this protocol in this room', protocol.id)
  return { is: 'protocol', protocol, payload: text.slice(word.length) }
}

/** The protocol that an event starts: one for exactly its type, otherwise one for any. */
export const protocolForEvent = ({ byEvent }: CompiledTriggers, type: string): Protocol | undefined =>
  byEvent.get(type) ?? byEvent.get('')
