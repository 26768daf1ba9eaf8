import { Link } from '@tanstack/react-router'
import type { RunWithEvents } from '../../api/types.ts'
import { count, many } from '../../lib/time.ts'
import { Fold } from '../../parts/fold.tsx'
import { Icon } from '../../parts/icon.tsx'
import type { IconName } from '../../parts/icon-paths.ts'
import { GateText } from '../../parts/gate-text.tsx'
import { Text } from '../../parts/text.tsx'
import { EffectWord } from '../../parts/verdict.tsx'
import { walkedOf } from '../../runs/run-graph.ts'
import { RunGraph } from '../../runs/run-parts.tsx'
import { CallArguments } from './conversation.tsx'
import type { ThreadNews } from './follow-thread.ts'
import { pathOf, type ThreadCall } from './thread-calls.ts'
import type { ShownThread, Usage } from './thread-query.ts'

type SideProps = {
  readonly thread: ShownThread
  readonly news: ThreadNews
  readonly calls: readonly ThreadCall[]
  readonly table: RunWithEvents['graph']
  /** On a narrow page it is shown only on request. */
  readonly open: boolean
}

/** The progress of the thread: graph, plan, calls and cost. */
export function ThreadSide({ thread, news, calls, table, open }: SideProps) {
  return (
    <aside className={open ? 'side-pane chat-side open' : 'side-pane chat-side'} aria-label="Progress">
      <Graph thread={thread} news={news} table={table} />
      <Plan thread={thread} />
      <Calls calls={calls} />
      <Used usage={thread.usage} />
      <Findings thread={thread} />
      <p className="tiny faint ids">
        <Link to="/runs/$id" params={{ id: thread.run_id }}>
          The run and its journal
        </Link>{' '}
        · {thread.thread_id}
      </p>
    </aside>
  )
}

function Graph({ thread, news, table }: Pick<SideProps, 'thread' | 'news' | 'table'>) {
  const waits = thread.awaiting_approval
  const whole = pathOf(news.events)
  // A held call ends the turn, but the thread continues at `AwaitApproval`.
  const path = waits ? whole.slice(0, whole.lastIndexOf('AwaitApproval') + 1) : whole
  const isOver = path.at(-1) === 'END'
  const walked = walkedOf(table, path, waits ? 'waiting' : isOver ? 'done' : 'active')
  const here = walked.nodes.find((node) => node.here)
  return (
    <section className="side-part">
      <h3>Current step</h3>
      <p className="small">
        {here === undefined ? (
          'Not started yet.'
        ) : (
          <>
            <b>{here.id}</b>
            <span className="dim">: {here.says}</span>
          </>
        )}
      </p>
      {table === undefined ? null : (
        <div className="graph chat-graph">
          <RunGraph graph={walked} close />
        </div>
      )}
      <Fold label="The nodes as a list">
        <ul className="small">
          {walked.nodes.map((node) => (
            <li key={node.id}>
              <b>{node.id}</b>{' '}
              <span className="dim">
                {node.times === 0 ? 'not reached' : `visited ${many(node.times, 'time')}`}
                {node.here ? ', current' : ''}
              </span>
            </li>
          ))}
        </ul>
      </Fold>
    </section>
  )
}

const STEPS: Readonly<Record<string, { readonly icon: IconName; readonly words: string }>> = {
  pending: { icon: 'clock', words: 'not yet' },
  running: { icon: 'bolt', words: 'in progress' },
  done: { icon: 'check', words: 'done' },
  failed: { icon: 'warn', words: 'failed' },
  skipped: { icon: 'minus', words: 'skipped' },
}

function Plan({ thread: { plan, current_step } }: Pick<SideProps, 'thread'>) {
  return (
    <section className="side-part">
      <h3>Plan</h3>
      {plan.length === 0 ? (
        <p className="small dim">No plan yet.</p>
      ) : (
        <ol className="plan">
          {plan.map(({ step, status, tries }, at) => {
            const { icon, words } = STEPS[status] ?? { icon: 'unknown' as const, words: status }
            return (
              <li key={at} className={status} aria-current={at === current_step ? 'step' : undefined}>
                <Icon name={icon} size="s" />
                <span>
                  “<Text>{step}</Text>”{' '}
                  <span className="tiny faint">
                    {words}
                    {tries > 1 ? `, ${tries} tries` : ''}
                  </span>
                </span>
              </li>
            )
          })}
        </ol>
      )}
    </section>
  )
}

function Calls({ calls }: Pick<SideProps, 'calls'>) {
  return (
    <section className="side-part">
      <h3>Proposed calls</h3>
      {calls.length === 0 ? (
        <p className="small dim">None yet.</p>
      ) : (
        <ol className="side-calls">
          {calls.map((call) => (
            <li key={call.id}>
              <span className="side-call">
                <code>
                  <Text>{call.tool}</Text>
                </code>
                {call.verdict === undefined ? null : <EffectWord of={call.verdict.effect} />}
                <span className="tiny faint">
                  {call.result === undefined ? 'open' : call.result === 'success' ? 'ran' : 'no result'}
                </span>
                {call.call_id === undefined ? null : (
                  <Link to="/activity/$id" params={{ id: call.call_id }} className="small">
                    the call
                  </Link>
                )}
              </span>
              {call.verdict === undefined || call.verdict.why === '' ? null : (
                <span className="tiny dim">
                  <GateText>{call.verdict.why}</GateText>
                </span>
              )}
              <Fold label="Inputs">
                <CallArguments args={call.args} />
              </Fold>
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

const price = (cost: number): string =>
  cost.toLocaleString(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 4 })

function Used({ usage }: { readonly usage: Usage }) {
  return (
    <section className="side-part">
      <h3>Used so far</h3>
      <dl className="used">
        <div>
          <dt>Cost</dt>
          <dd>{price(usage.cost)}</dd>
        </div>
        <div>
          <dt>Tokens in</dt>
          <dd>{count(usage.input_tokens)}</dd>
        </div>
        <div>
          <dt>Tokens out</dt>
          <dd>{count(usage.output_tokens)}</dd>
        </div>
        <div>
          <dt>Model calls</dt>
          <dd>{count(usage.model_calls)}</dd>
        </div>
      </dl>
    </section>
  )
}

function Findings({ thread: { security_findings: findings } }: Pick<SideProps, 'thread'>) {
  if (findings.length === 0) return null
  return (
    <section className="side-part">
      <h3>Stopped by security checks</h3>
      <ul className="small">
        {findings.map(({ rule_id, message }, at) => (
          <li key={at}>
            <code>{rule_id}</code> <Text>{message}</Text>
          </li>
        ))}
      </ul>
    </section>
  )
}
