import type { OverviewAnswer } from '../../../server/src/kernel/contract/activity.ts'
import { count, lasted, shortTime } from '../lib/time.ts'

type TableProps = {
  readonly title: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

function Table({ title, head, rows }: TableProps) {
  return (
    <section className="card tile w6" aria-label={title}>
      <table className="plain">
        <caption>{title}</caption>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row[0]}>
              {row.map((cell, at) => (
                <td key={at} className="num">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** The same figures as tables. */
export function OverviewTables({ of }: { readonly of: OverviewAnswer }) {
  return (
    <div className="body tiles">
      <Table
        title="Calls"
        head={['Time', 'Ran', 'Asked', 'Blocked', 'Failed']}
        rows={of.series
          .filter(({ ran, asked, blocked, failed }) => ran + asked + blocked + failed > 0)
          .map(({ at, ran, asked, blocked, failed }) => [shortTime(at), ...[ran, asked, blocked, failed].map(count)])}
      />
      <Table
        title="Slowest tools"
        head={['Tool', 'Calls', 'p95']}
        rows={of.slowest.map(({ tool_id, calls, p95_ms }) => [tool_id, count(calls), lasted(p95_ms)])}
      />
      <Table
        title="Agents"
        head={['Agent', 'For', 'Calls', 'Asked', 'Blocked']}
        rows={of.callers.map(({ id, user, calls, asked, blocked }) => [
          id,
          user,
          count(calls),
          count(asked),
          count(blocked),
        ])}
      />
      <Table
        title="Time to decide"
        head={['Minutes', 'Decisions']}
        rows={of.held.buckets.map(({ under_minutes, count: n }) => [
          under_minutes === null ? 'longer' : `under ${under_minutes}`,
          count(n),
        ])}
      />
    </div>
  )
}
