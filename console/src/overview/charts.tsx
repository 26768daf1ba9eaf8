import { useEffect, useRef, useState, type ReactNode } from 'react'
import { count } from '../lib/time.ts'

/** The real width of a part of the page: charts are drawn at it, so that their words keep their size. */
function useWidth() {
  const ref = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const place = ref.current
    if (place === null) return
    const watch = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)))
    watch.observe(place)
    return () => watch.disconnect()
  }, [])
  return { ref, width }
}

type Point = { readonly at: number; readonly n: number }

const LEFT = 34
const BOTTOM = 22
const TOP = 8

function niceTop(most: number): number {
  if (most <= 4) return 4
  const step = 10 ** Math.floor(Math.log10(most))
  return [1, 2, 2.5, 5, 10].map((factor) => factor * step).find((top) => top >= most) ?? most
}

type LineProps = {
  readonly points: readonly Point[]
  readonly label: string
  readonly timeOf: (at: number) => string
  readonly height?: number
}

/** One line over time, with its highest point named. */
export function LineChart({ points, label, timeOf, height = 180 }: LineProps) {
  const { ref, width } = useWidth()
  const most = Math.max(0, ...points.map(({ n }) => n))
  const top = niceTop(most)
  const right = width - 4
  const x = (at: number) => LEFT + ((right - LEFT) * at) / Math.max(1, points.length - 1)
  const y = (n: number) => TOP + (height - TOP - BOTTOM) * (1 - n / top)
  const path = points.map(({ n }, at) => `${at === 0 ? 'M' : 'L'}${x(at).toFixed(1)} ${y(n).toFixed(1)}`).join('')
  const peak = points.findIndex(({ n }) => n === most)
  const peakPoint = points[peak]
  const isRight = x(peak) > width * 0.6
  return (
    <div ref={ref} className="chart-box">
      {width === 0 || points.length === 0 ? null : (
        <svg className="chart" width={width} height={height} role="img" aria-label={label}>
          {[0, top / 2, top].map((n) => (
            <g key={n}>
              <line className="axis" x1={LEFT} x2={right} y1={y(n)} y2={y(n)} />
              <text x={LEFT - 8} y={y(n) + 4} textAnchor="end">
                {count(n)}
              </text>
            </g>
          ))}
          <path className="area" d={`${path}L${x(points.length - 1)} ${y(0)}L${x(0)} ${y(0)}z`} />
          <path className="line" d={path} />
          {most === 0 || peakPoint === undefined ? null : (
            <>
              <circle className="mark" cx={x(peak)} cy={y(most)} r="3.5" />
              <text
                className="strong"
                x={x(peak) + (isRight ? -8 : 8)}
                y={Math.max(14, y(most) + 4)}
                textAnchor={isRight ? 'end' : 'start'}
              >
                {count(most)} at {timeOf(peakPoint.at)}
              </text>
            </>
          )}
          {[0, 0.25, 0.5, 0.75].map((part) => {
            const at = Math.round(part * (points.length - 1))
            const point = points[at]
            return point === undefined ? null : (
              <text key={part} x={x(at)} y={height - 6} textAnchor={part === 0 ? 'start' : 'middle'}>
                {timeOf(point.at)}
              </text>
            )
          })}
          <text x={right} y={height - 6} textAnchor="end">
            now
          </text>
        </svg>
      )}
    </div>
  )
}

type BarsProps = {
  readonly bars: readonly { readonly name: string; readonly n: number; readonly kind?: string }[]
  readonly label: string
}

/** A few bars, each with its number above it. */
export function BarChart({ bars, label }: BarsProps) {
  const { ref, width } = useWidth()
  const height = 140
  const most = Math.max(1, ...bars.map(({ n }) => n))
  const step = width / Math.max(1, bars.length)
  const y = (n: number) => 20 + (height - 42) * (1 - n / most)
  return (
    <div ref={ref} className="chart-box">
      {width === 0 ? null : (
        <svg className="chart" width={width} height={height} role="img" aria-label={label}>
          {bars.map(({ name, n, kind }, at) => (
            <g key={name}>
              <rect
                className={kind ?? 'c-1'}
                x={at * step + 4}
                y={n === 0 ? y(0) - 1 : y(n)}
                width={Math.max(2, step - 8)}
                height={Math.max(1, y(0) - y(n))}
                rx="2"
              />
              <text className="strong" x={(at + 0.5) * step} y={y(n) - 6} textAnchor="middle">
                {count(n)}
              </text>
              <text x={(at + 0.5) * step} y={height - 4} textAnchor="middle">
                {name}
              </text>
            </g>
          ))}
        </svg>
      )}
    </div>
  )
}

type Row = { readonly name: ReactNode; readonly key: string; readonly says: string; readonly share: number }

/** Horizontal bars, each with its number next to it. */
export function RowBars({ rows }: { readonly rows: readonly Row[] }) {
  return (
    <ul className="row-bars">
      {rows.map(({ name, key, says, share }) => (
        <li key={key}>
          <span>{name}</span>
          <span className="num">{says}</span>
          <span className="bar" aria-hidden="true">
            <i style={{ width: `${Math.max(1, share * 100)}%` }} />
          </span>
        </li>
      ))}
    </ul>
  )
}
