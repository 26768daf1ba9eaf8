import { Bug, ok, refuse, type Result } from '../kernel/contract/problems.ts'
import type { BoundPorts } from '../kernel/ports/bound-ports.ts'
import type { GuestPorts, Ports } from '../kernel/ports/guest-ports.ts'
import type { GuestServer } from '../kernel/ports/guest-server.ts'
import type { Observers } from '../kernel/ports/observers.ts'
import type { OpenedGuest, Preparation } from '../kernel/ports/prepare-guest.ts'
import type { Guest } from '../kernel/registries.ts'

export type PreparedGuests = {
  /** What the guests have offered so far. */
  readonly ports: GuestPorts
  readonly observers: Observers
  readonly servers: readonly GuestServer[]
  secrets(): readonly string[]
  /** Called once, with everything that is open by then; adds what the guests offer. */
  open(ports: Ports): Promise<GuestPorts>
  /** Ends what dead processes left behind. */
  recover(ports: Ports): Promise<void>
  /** Called once, after recovery. What was started last is stopped first. */
  start(ports: BoundPorts): Promise<() => Promise<void>>
  /** What was opened last is closed first. */
  close(): Promise<void>
}

/** Prepares all guests, each after those that it needs or uses. If one refuses, those before it are closed. */
export async function prepareGuests(
  guests: readonly Guest[],
  given: Omit<Preparation, 'ports'>,
): Promise<Result<PreparedGuests>> {
  const missing = missingGuest(guests)
  if (missing !== undefined) return refuse('config.invalid', { paths: missing })
  const ordered = inOrder(guests)
  const prepare = await Promise.all(ordered.map(async (guest) => guest.prepare?.()))
  const ports: Record<string, unknown> = {}
  const opened: OpenedGuest[] = []
  const observers: Partial<Observers>[] = []
  const servers: GuestServer[] = []
  const secrets: (() => readonly string[])[] = []
  const opening: ((ports: Ports) => Promise<void>)[] = []
  const add = (one: OpenedGuest): void => {
    opened.push(one)
    for (const [name, port] of Object.entries(one.ports ?? {})) {
      if (name in ports) throw new Bug(`two guests offer \`${name}\``)
      ports[name] = port
    }
  }
  const close = async () => {
    for (const one of opened.toReversed()) await one.close?.()
  }
  for (const [index] of ordered.entries()) {
    // Each guest declares what it offers; all of it is there when all guests are open.
    const prepared = await prepare[index]?.({ ...given, ports: ports as unknown as GuestPorts })
    if (prepared === undefined) continue
    if (!prepared.ok) {
      await close()
      return prepared
    }
    add(prepared.value)
    const { open, observers: observing, server, secrets: held } = prepared.value
    if (server !== undefined) servers.push(server)
    if (held !== undefined) secrets.push(held)
    if (observing !== undefined) observers.push(observing)
    if (open !== undefined) opening.push(async (known) => add(await open({ ...known, ...ports })))
  }
  return ok({
    ports: ports as unknown as GuestPorts,
    observers: allOf(observers),
    servers,
    secrets: () => secrets.flatMap((held) => held()),
    async open(known) {
      for (const one of opening) await one(known)
      return ports as unknown as GuestPorts
    },
    async recover(known) {
      for (const one of opened) await one.recover?.(known)
    },
    async start(bound) {
      const stops: (() => Promise<void>)[] = []
      for (const one of opened) if (one.start !== undefined) stops.push(await one.start(bound))
      return async () => {
        for (const stop of stops.toReversed()) await stop()
      }
    },
    close,
  })
}

/** Without observers, the parts themselves. */
const allOf = (observers: readonly Partial<Observers>[]): Observers => ({
  ledger: (ledger) => observers.reduce((inner, one) => one.ledger?.(inner) ?? inner, ledger),
  servers: (servers) => observers.reduce((inner, one) => one.servers?.(inner) ?? inner, servers),
  dispatch: (dispatch) => observers.reduce((inner, one) => one.dispatch?.(inner) ?? inner, dispatch),
  authenticate: (authenticate) => observers.reduce((inner, one) => one.authenticate?.(inner) ?? inner, authenticate),
})

/** Why this build cannot start a gate, as a sentence. */
function missingGuest(guests: readonly Guest[]): string | undefined {
  const names = new Set(guests.map(({ name }) => name))
  for (const { name, needs = [] } of guests) {
    const missing = needs.find((need) => !names.has(need))
    if (missing !== undefined)
      return `the guest \`${name}\` needs the guest \`${missing}\`, which this build does not have`
  }
  return undefined
}

/** Each guest after those that it needs or uses. */
function inOrder(guests: readonly Guest[]): readonly Guest[] {
  const ordered = new Set<Guest>()
  const visit = (guest: Guest, waiting: readonly string[]): void => {
    if (ordered.has(guest)) return
    if (waiting.includes(guest.name)) throw new Bug(`guests need each other: ${[...waiting, guest.name].join(', ')}`)
    const before = [...(guest.needs ?? []), ...(guest.uses ?? [])]
    for (const other of guests) if (before.includes(other.name)) visit(other, [...waiting, guest.name])
    ordered.add(guest)
  }
  for (const guest of guests) visit(guest, [])
  return [...ordered]
}
