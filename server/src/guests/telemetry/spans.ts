import type { Attributes, Context, Span, SpanStatusCode, TraceAPI, Tracer } from '@opentelemetry/api'

/** The parts of the API's module that are needed; it is loaded with the SDK. */
type Api = {
  readonly trace: TraceAPI
  readonly ROOT_CONTEXT: Context
  readonly SpanStatusCode: typeof SpanStatusCode
}
export type SpanOptions = { readonly started?: number; readonly attributes?: Attributes }

export interface Spans {
  /** A span in the trace a call already has, below its sender's. Undefined if it is not a W3C trace. */
  inTrace(trace: string, name: string, options?: SpanOptions & { readonly parent?: string }): Span | undefined
  below(parent: Span, name: string, options?: SpanOptions): Span
  end(span: Span | undefined, failure?: string): void
}

const TRACE = /^[0-9a-f]{32}$/
const SAMPLED = 1

export function spansOf({ trace: traces, ROOT_CONTEXT, SpanStatusCode: codes }: Api, tracer: Tracer): Spans {
  const optionsOf = ({ started, attributes = {} }: SpanOptions) =>
    started === undefined ? { attributes } : { attributes, startTime: started }
  return {
    inTrace(trace, name, options = {}) {
      if (!TRACE.test(trace)) return undefined
      const parent = { traceId: trace, spanId: options.parent ?? trace.slice(16), traceFlags: SAMPLED, isRemote: true }
      return tracer.startSpan(`sluice.${name}`, optionsOf(options), traces.setSpanContext(ROOT_CONTEXT, parent))
    },
    below: (parent, name, options = {}) =>
      tracer.startSpan(`sluice.${name}`, optionsOf(options), traces.setSpan(ROOT_CONTEXT, parent)),
    end(span, failure) {
      if (failure !== undefined) span?.setStatus({ code: codes.ERROR, message: failure })
      span?.end()
    },
  }
}
