import { CommanderError } from 'commander'
import { EXIT } from './exit-codes.ts'

const CODE = 'sluice.usage'

/** A mistake in the command's own words: ends the command with exit code 64 and this message. */
export const usageFault = (says: string): CommanderError => new CommanderError(EXIT.usage, CODE, says)

/** The message of a usage fault of ours; what commander finds it prints by itself. */
export const saysOfFault = (error: CommanderError): string | undefined =>
  error.code === CODE ? error.message : undefined
