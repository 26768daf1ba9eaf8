/** The previous hash of a stream's first entry. In a file of its own: the ledger's thread needs it and no schema. */
export const GENESIS = '0'.repeat(64)
