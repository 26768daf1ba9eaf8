import { onlyPartOf } from './guest-parts.ts'

/** The same text without secrets, and of limited length. */
export type ScrubText = (text: string) => string

declare module '../kernel/registries.ts' {
  interface Guest {
    /** For what the gate writes to its log and shows of its servers. */
    readonly scrubText?: () => Promise<ScrubText>
  }
}

const MOST_CHARS = 10_000

/** A build that cannot recognize secrets at least limits the length. */
export const textScrubber = async (): Promise<ScrubText> =>
  (await onlyPartOf(({ scrubText }) => scrubText)) ?? ((text) => text.slice(0, MOST_CHARS))
