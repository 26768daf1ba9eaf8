import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { BROKE_OFF, clientFor, followFor, UNREACHED, type CliClient, type FollowPath, type Target } from './client.ts'
import { listenTo, type Listen } from './event-lines.ts'
import { EXIT } from './exit-codes.ts'
import type { LocalGate, UpOptions } from './local-gate.ts'
import { printPauses } from './print-pauses.ts'
import type { Out } from './print.ts'
import { chooseTarget, type TargetFlags } from './target.ts'
import { withWaitNotice } from './terminal-out.ts'
import { usageFault } from './usage-fault.ts'

/** What the command line needs from the program that it is part of. */
export type CliHost = {
  readonly version: string
  /** The path of the launcher. */
  readonly launcher: string
  /** The local socket of the gate that these options mean, and how to start it in the background. */
  local(options: UpOptions): LocalGate
  /** Runs a gate in this process until it is stopped. */
  up(options: UpOptions): Promise<number>
}

/** The options of every command. */
export type Globals = { config?: string; data?: string; json?: boolean; url?: string; key?: string; as?: string }

/** What all commands share. */
export type Cli = {
  readonly host: CliHost
  readonly globals: () => Globals
  /** The gate that the options mean. Resolved once, at the first request. */
  readonly target: (flags?: TargetFlags) => Target
  /** Sends to the selected gate. If it is starting, waits for it and repeats a read that broke off. */
  readonly send: CliClient
  /** The same, but a read that broke off is not sent again. */
  readonly ask: CliClient
  /** Follows the changes at the gate. */
  readonly follow: FollowPath
  /** Follows the events of one address, each once. */
  readonly subscribe: Listen
  readonly out: () => Out
  readonly exit: (code: number) => void
  /** Reports a usage error. */
  readonly fail: (says: string) => void
  /** Whether the options name a gate on some other machine. */
  readonly isElsewhere: () => boolean
  /** Adds what guests contribute to a command: commands below it, and options. */
  readonly extend: (command: Command) => void
}

type OpenCli = Pick<Cli, 'host' | 'globals' | 'out' | 'exit'> & {
  readonly extend: (command: Command, cli: Cli) => void
}

/** `finish` prints what a person should see after any command; `isListed`: the command has just printed it. */
export function openCli({ host, globals, out, exit, extend }: OpenCli): {
  readonly cli: Cli
  finish(isListed: boolean): Promise<void>
} {
  let chosen: Target | undefined
  /** Resolved once, so that unused environment variables are mentioned once. */
  const target = (flags: TargetFlags = {}): Target => {
    if (chosen !== undefined) return chosen
    const found = chooseTarget({ ...globals(), ...flags }, process.env)
    if ('fault' in found) throw usageFault(found.fault)
    const { notes, ...there } = found
    const local = there.url === undefined ? host.local(globals()) : undefined
    if (local?.fault !== undefined) throw usageFault(local.fault)
    for (const note of [...notes, ...(local?.notes ?? [])]) out().error(note, 'quiet')
    chosen = { ...there, ...(local === undefined ? {} : { socket: local.socket }) }
    return chosen
  }
  const comesUp = () => host.local(globals()).comesUp()
  const cli: Cli = {
    host,
    globals,
    target,
    out,
    exit,
    send: (...request) =>
      withWaitNotice(
        reachGate(target(), comesUp, () => existsSync(host.local(globals()).config)),
        process.stderr,
      )(...request),
    ask: async (...request) => {
      const ask = clientFor(target())
      const reply = await ask(...request)
      if (reply.status !== UNREACHED || target().url !== undefined) return reply
      return (await comesUp()) ? ask(...request) : reply
    },
    follow: (...request) => followFor(target())(...request),
    subscribe: (...request) => listenTo(target())(...request),
    isElsewhere: () => target().url !== undefined,
    fail(says) {
      out().error(says)
      exit(EXIT.usage)
    },
    extend: (command) => extend(command, cli),
  }
  return {
    cli,
    async finish(isListed) {
      if (chosen !== undefined && !isListed) await printPauses(cli)
    },
  }
}

/**
 * The client for the selected gate. It waits for a local gate that is starting, and starts none.
 * INVARIANT: a request that may have changed something is sent once. Only reads are sent again after the connection broke.
 */
function reachGate(target: Target, comesUp: () => Promise<boolean>, isConfigured: () => boolean): CliClient {
  const client = clientFor(target)
  return async (...request) => {
    const reply = await client(...request)
    const mayResend = reply.status === UNREACHED || (reply.status === BROKE_OFF && request[0] === 'GET')
    if (!mayResend || target.url !== undefined) return target.url === undefined ? reply : { ...reply, at: target.url }
    if (await comesUp()) return client(...request)
    return reply.status === UNREACHED && !isConfigured() ? { ...reply, unconfigured: true } : reply
  }
}
