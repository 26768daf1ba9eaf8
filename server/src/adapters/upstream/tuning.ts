import type { BreakerTuning } from './breaker.ts'
import type { RelistTuning } from './relist-limit.ts'

/** Settings that are the same for all servers and not in the configuration file. Tests use shorter times. */
export type UpstreamTuning = {
  /** For each step of a start: handshake, list of tools. */
  readonly start_timeout_ms: number
  /** How long to wait for a silent server's answer to the probe for the newer protocol. */
  readonly probe_timeout_ms: number
  /** Between ending stdin, SIGTERM and SIGKILL. */
  readonly grace_ms: number
  /** Calls that may wait per server, in addition to those in progress. */
  readonly queue: number
  /** The first restart is immediate; later ones wait increasingly longer. */
  readonly restart: { readonly base_ms: number; readonly cap_ms: number }
  /** A server that requires a login is retried this often, in case that changes. */
  readonly login_retry_ms: number
  /** A child that lived this long, or answered, has proven that it works: its next failure counts as the first. */
  readonly steady_ms: number
  /** How often a server that announces changed tools is listed again. */
  readonly relist: RelistTuning
  readonly breaker: BreakerTuning
}

export const TUNING: UpstreamTuning = {
  start_timeout_ms: 30_000,
  probe_timeout_ms: 10_000,
  grace_ms: 2_000,
  queue: 256,
  restart: { base_ms: 250, cap_ms: 30_000 },
  login_retry_ms: 300_000,
  steady_ms: 30_000,
  relist: { burst: 5, every_ms: 10_000, share: 0.05 },
  breaker: { threshold: 5, base_ms: 1_000, cap_ms: 60_000 },
}
