import { useQuery } from '@tanstack/react-query'
import type { DoctorAnswer } from '../../../server/src/kernel/contract/answers.ts'
import { ask } from '../api/client.ts'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { Fold } from '../parts/fold.tsx'
import { Icon } from '../parts/icon.tsx'
import type { IconName } from '../parts/icon-paths.ts'
import { GateText } from '../parts/gate-text.tsx'
import { Failed, Skeleton } from '../parts/states.tsx'

type Finding = DoctorAnswer['findings'][number]
const SIGNS: Readonly<Record<Finding['severity'], { readonly icon: IconName; readonly look: string }>> = {
  error: { icon: 'warn', look: 'no' },
  warning: { icon: 'warn', look: 'ask' },
  note: { icon: 'unknown', look: '' },
  ok: { icon: 'check', look: 'yes' },
}

/** The findings of `sluice doctor` on the gate's machine. Run on request only, because it checks a lot. */
export function Doctor() {
  const query = useQuery({
    queryKey: ['doctor'],
    queryFn: ({ signal }) => ask<DoctorAnswer>('/v1/doctor', { signal }),
    staleTime: Infinity,
    retry: false,
  })
  const findings = query.data?.findings ?? []
  const bad = findings.filter(({ severity }) => severity === 'error' || severity === 'warning')
  const rest = findings.filter((one) => !bad.includes(one))
  return (
    <Card
      title="Findings of doctor"
      className="whole"
      aside={
        <Button size="small" busy={query.isFetching} onClick={() => void query.refetch()}>
          Check again
        </Button>
      }
    >
      {query.isError ? <Failed error={query.error} onRetry={() => void query.refetch()} /> : null}
      {query.isPending ? <Skeleton rows={2} /> : null}
      {query.data === undefined ? null : (
        <>
          {bad.length === 0 ? (
            <ul className="facts">
              <li className="yes">
                <Icon name="check" />
                <span>
                  <b>No action needed.</b>
                </span>
              </li>
            </ul>
          ) : (
            <Findings of={bad} />
          )}
          <div className="card-body">
            <Fold label={`${rest.length} more checks`}>
              <Findings of={rest} />
            </Fold>
          </div>
        </>
      )}
    </Card>
  )
}

function Findings({ of }: { readonly of: readonly Finding[] }) {
  return (
    <ul className="facts">
      {of.map((finding, at) => (
        <li key={at} className={SIGNS[finding.severity].look}>
          <Icon name={SIGNS[finding.severity].icon} />
          <span>
            <b>{finding.about}:</b> <GateText>{finding.says}</GateText>
            {finding.do === undefined ? null : (
              <>
                <br />
                <span className="dim">
                  <GateText>{finding.do}</GateText>
                </span>
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  )
}
