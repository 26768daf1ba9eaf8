const TRACE = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/

/** The trace id in a W3C `traceparent`. */
export function traceOf(traceparent: unknown): string | undefined {
  return typeof traceparent === 'string' ? TRACE.exec(traceparent)?.[1] : undefined
}

/** The sender's span id in it. */
export function parentSpanOf(traceparent: unknown): { readonly parent_span?: string } {
  const parent_span = typeof traceparent === 'string' ? TRACE.exec(traceparent)?.[2] : undefined
  return parent_span === undefined ? {} : { parent_span }
}
