import type { OpenControlRoom } from './control-room.ts'
import type { DecidedElsewhere } from './decided-elsewhere.ts'
import type { KernelPorts } from './kernel-ports.ts'
import type { OpenRoomTransport } from './transports.ts'

/**
 * What guests offer to each other and to what uses the kernel's ports. Every guest adds its own fields, by declaration merging.
 * Here are only those that some guest uses if another is there.
 */
export interface GuestPorts {
  readonly openControlRoom?: OpenControlRoom
  readonly openRoomTransport?: OpenRoomTransport
  /** Set on a node. */
  readonly decidedElsewhere?: DecidedElsewhere
}

/** All ports of a gate, in one object: each factory takes those that its type names. */
export type Ports = KernelPorts & GuestPorts
