/** The previous hash of a stream's first entry. In a separate file, because the ledger's thread needs it but no schema. */
export const GENESIS = '0'.repeat(64)
