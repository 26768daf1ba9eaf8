const TRACE = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/

/** The trace that a W3C `traceparent` names. */
export function traceOf(traceparent: unknown): string | undefined {
  return typeof traceparent === 'string' ? TRACE.exec(traceparent)?.[1] : undefined
}
