import { Link } from '@tanstack/react-router'
import type { Ref } from 'react'
import type { Packet } from '../api/types.ts'
import { clockTime, isToday, shortTime } from '../lib/time.ts'
import { Ago } from '../parts/ago.tsx'
import { Card } from '../parts/card.tsx'
import { Countdown } from '../parts/countdown.tsx'
import { GateText } from '../parts/gate-text.tsx'
import { Icon } from '../parts/icon.tsx'
import { Note } from '../parts/note.tsx'
import { Risk } from '../parts/risk.tsx'
import { Sentence } from '../parts/sentence.tsx'
import { Text } from '../parts/text.tsx'
import { DefinitionDiff } from '../tools/definition-diff.tsx'
import { Changes } from './changes.tsx'
import { Facts } from './facts.tsx'
import { Fields } from './fields.tsx'
import { agentName, sentenceOf } from './packet-words.ts'
import { Reveal } from './reveal.tsx'
import type { Unfolding } from './use-unfolding.ts'
import { useMe } from './use-me.ts'
import { AskedNote } from './who-is-asked.tsx'
import { Why } from './why.tsx'

type HeadProps = {
  readonly packet: Packet
  readonly closed: boolean
  readonly headRef: Ref<HTMLHeadingElement>
  readonly onBack: () => void
}

export function PacketHead({ packet, closed, headRef, onBack }: HeadProps) {
  return (
    <>
      <div className="packet-top">
        <button type="button" className="btn quiet small phone-only" aria-label="Back to the list" onClick={onBack}>
          <Icon name="back" />
        </button>
        {packet.risk === undefined ? null : <Risk of={packet.risk.class} long />}
        {packet.risk?.why[0] === undefined ? null : <span>{packet.risk.why[0]}</span>}
        {packet.strength === 'strong' ? (
          <span className="tag">
            <Icon name="hand" />
            strong approval
          </span>
        ) : null}
        {packet.strength === 'two_person' ? (
          <span className="tag">
            <Icon name="people" />
            {packet.asked.people === 2 ? 'two' : packet.asked.people} people
          </span>
        ) : null}
        {closed ? (
          <span className="left tag">closed: this is the version you saw</span>
        ) : (
          <Countdown from={packet.created_at} until={packet.expires_at} long />
        )}
      </div>
      <h2 className="sentence" id="what" ref={headRef} tabIndex={-1}>
        <Sentence of={sentenceOf(packet)} />
      </h2>
      <Who packet={packet} />
    </>
  )
}

/** Of a call that waits at a node: the node, and who it says is asking there. */
function NodeWho({ node }: { readonly node: NonNullable<Packet['node']> }) {
  const { caller, user, document, step, protocol, sender } = node.context
  return (
    <>
      <b>
        <Text>{agentName(caller)}</Text>
      </b>{' '}
      asks for{' '}
      <b>
        <Text>{user}</Text>
      </b>{' '}
      at the node{' '}
      <b>
        <Text>{node.name}</Text>
      </b>
      {document === undefined ? null : (
        <>
          , in step <Text>{step ?? ''}</Text> of <Text>{document}</Text>
        </>
      )}
      {protocol === undefined ? null : (
        <>
          , for <Text>{protocol}</Text> from <Text>{sender ?? ''}</Text>
        </>
      )}
    </>
  )
}

function Who({ packet }: { readonly packet: Packet }) {
  const me = useMe()
  const { asked_by, thread, by_run, created_at, node } = packet
  return (
    <p className="who">
      <span className="face agent" aria-hidden="true">
        <Icon name={asked_by.kind === 'agent' || node !== undefined ? 'agent' : 'person'} />
      </span>
      <span>
        {node === undefined ? (
          <>
            <b>
              <Text>{agentName(asked_by.id)}</Text>
            </b>{' '}
            asks
            {agentName(asked_by.id) === asked_by.user ? null : (
              <>
                {' '}
                for <b>{me?.user === asked_by.user ? 'you' : <Text>{asked_by.user}</Text>}</b>
              </>
            )}
          </>
        ) : (
          <NodeWho node={node} />
        )}
        {by_run === undefined ? null : (
          <>
            , while working on{' '}
            <Link to="/runs/$id" params={{ id: by_run.run_id }}>
              {by_run.kind} “<Text>{by_run.step}</Text>”
            </Link>
          </>
        )}{' '}
        <span className="faint">
          in session{' '}
          <code>{thread.length > 24 ? <Text>{`${thread.slice(0, 23)}…`}</Text> : <Text>{thread}</Text>}</code>{' '}
          <Ago at={created_at} />
        </span>
      </span>
    </p>
  )
}

/** What approving it means comes first, because nothing can put it right afterwards. */
function SecretNote({ packet: { risk, facts } }: { readonly packet: Packet }) {
  const isSecret = risk?.why.some((why) => why.endsWith(' a secret')) === true
  if (!isSecret || facts === undefined || facts.undo.is === 'yes') return null
  return (
    <Note kind="block" icon="lock">
      <p>
        <b>It {risk?.why.find((why) => why.endsWith(' a secret'))}.</b> <GateText>{facts.undo.says}</GateText>
      </p>
    </Note>
  )
}

const NOUNS: Readonly<Record<string, string>> = {
  send: 'The message',
  pay: 'The payment',
  delete: 'The deletion',
  write_file: 'The file',
  run_command: 'The command',
  change: 'The change',
  fetch: 'The request',
}

type BodyProps = {
  readonly packet: Packet
  readonly unfolding: Unfolding
  readonly onSource: (at: string) => void
}

export function PacketBody({ packet, unfolding, onSource }: BodyProps) {
  const status = packet.definition?.status
  return (
    <>
      {packet.definition !== undefined && (status === 'changed' || status === 'new') ? (
        <Note kind="ask" icon="diff">
          <p>
            <b>
              {status === 'new' ? 'Nobody has admitted this tool yet.' : 'The tool is not the one that was admitted.'}
            </b>{' '}
            {status === 'new' ? '' : 'The server changed it, not you. '}Approving this call does not admit the tool.
          </p>
        </Note>
      ) : null}
      <SecretNote packet={packet} />
      {packet.retries === undefined ? null : (
        <Note kind="ask" icon="unknown">
          <p>
            <b>This is a retry: attempt {packet.retries.attempt} may already have taken effect.</b> Check the other
            system first. If it is approved, it runs again. Requested by <Text>{packet.retries.ordered_by}</Text>.
          </p>
        </Note>
      )}
      <AskedNote packet={packet} />
      <div className="cols">
        <div className="col">
          <Card title={NOUNS[packet.sentence?.action ?? ''] ?? 'The inputs'} aside={<code>{packet.skill_id}</code>}>
            <Fields packet={packet} unfolding={unfolding} onSource={onSource} />
            {packet.hidden.length > 0 ? <Reveal packet={packet} /> : null}
          </Card>
          <Changes packet={packet} />
          {packet.definition !== undefined && status !== 'admitted' ? (
            <Card title="Definition of the tool" aside="from the server, unverified">
              <DefinitionDiff review={packet.definition} />
            </Card>
          ) : null}
        </div>
        <div className="col">
          <Why packet={packet} />
          <Facts packet={packet} />
        </div>
      </div>
      <p className="tiny faint num ids">
        {packet.approval_id} · {packet.call_id} · request digest {packet.digest.slice(0, 8)}… · until{' '}
        {isToday(packet.expires_at) ? clockTime(packet.expires_at) : shortTime(packet.expires_at)}
      </p>
    </>
  )
}
