import { useId, type ReactNode } from 'react'

type CardProps = {
  readonly title: ReactNode
  readonly aside?: ReactNode
  readonly children: ReactNode
  readonly className?: string
}

export function Card({ title, aside, children, className }: CardProps) {
  const id = useId()
  return (
    <section className={className === undefined ? 'card' : `card ${className}`} aria-labelledby={id}>
      <div className="card-head">
        <h2 id={id}>{title}</h2>
        {aside === undefined ? null : <span className="aside">{aside}</span>}
      </div>
      {children}
    </section>
  )
}
