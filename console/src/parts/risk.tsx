const CLASSES = ['low', 'medium', 'high', 'critical'] as const
export type RiskName = (typeof CLASSES)[number]

const WORDS: Readonly<Record<RiskName, string>> = { low: 'Low', medium: 'Medium', high: 'High', critical: 'Critical' }

/** Four bars and a word. */
export function Risk({ of, long = false }: { readonly of: RiskName; readonly long?: boolean }) {
  const level = CLASSES.indexOf(of)
  return (
    <span className={`risk ${of}`}>
      <svg viewBox="0 0 14 12" aria-hidden="true">
        {CLASSES.map((name, at) => (
          <rect
            key={name}
            x={at * 3.7}
            y={9 - at * 3}
            width="2.6"
            height={3 + at * 3}
            rx="0.8"
            className={at > level ? 'off' : undefined}
          />
        ))}
      </svg>
      {WORDS[of]}
      {long ? ' risk' : <span className="sr"> risk</span>}
    </span>
  )
}
