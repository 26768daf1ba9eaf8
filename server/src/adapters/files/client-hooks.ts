import type { DoctorFinding } from '../../kernel/contract/doctor.ts'
import type { HookClient } from '../../kernel/contract/hook-clients.ts'
import type { Result } from '../../kernel/contract/problems.ts'

/** Where the files of MCP clients are looked for. */
export type HostEnvironment = {
  readonly home: string
  readonly cwd: string
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Where a client stores its hooks. `home`: the folder whose presence means that the client is used here. */
export type HookPlace = { readonly client: HookClient; readonly home: string; readonly file: string }

/** What a hook starts and whom it asks. */
export type HookProgram = { readonly node: string; readonly hook: string; readonly socket: string }

/** A file as it will be. Without a text, it stays as it is. */
export type ChangedFile = { readonly file: string; readonly text: string | undefined }

/** The hooks of coding agents, for `sluice init` and `sluice doctor`. */
export type ClientHooks = {
  /** Of every client that has hooks, also if it is not used here. */
  places(around: HostEnvironment): readonly HookPlace[]
  /** The program that the hooks of a gate with this data folder start. */
  programOf(data: string, around: HostEnvironment): string
  installProgram(file: string): Result<void>
  removeProgram(file: string): void
  /** Whether a text contains a hook of a gate. */
  isHooked(text: string): boolean
  /** What changes when hooks are added. `textNow`: the text that a file has by now. */
  added(place: HookPlace, program: HookProgram, textNow: (file: string) => string | undefined): readonly ChangedFile[]
  /** A text without hooks, or undefined if that is not possible. `before`: the text that it had before they were added. */
  removed(text: string, before: string): string | undefined
  /** `switchedOff`: how to turn a client's own tools off. */
  check(
    around: HostEnvironment,
    program: HookProgram,
    switchedOff: Readonly<Record<string, string>>,
  ): readonly DoctorFinding[]
  /** The clients whose hooks ask the gate with this socket. */
  askingAt(socket: string, around: HostEnvironment): readonly string[]
}

declare module '../../kernel/registries.ts' {
  interface Guest {
    readonly clientHooks?: () => Promise<ClientHooks>
    /** The files that decide whether the gate is asked. `data`: its folder. */
    readonly decidingFiles?: () => Promise<(data: string, around: HostEnvironment) => readonly string[]>
  }
}
