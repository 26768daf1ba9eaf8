import { CommanderError } from 'commander'
import { EXIT } from './exit-codes.ts'

const CODE = 'sluice.usage'

/** A usage error: ends the command with exit code 64 and this message. */
export const usageFault = (says: string): CommanderError => new CommanderError(EXIT.usage, CODE, says)

/** The message of our own usage error; commander prints its own errors itself. */
export const saysOfFault = (error: CommanderError): string | undefined =>
  error.code === CODE ? error.message : undefined
