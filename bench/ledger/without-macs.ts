import { hasMac, isSameMac, TABLES_WITH_MACS, type RowMacs } from '../../server/src/adapters/stores/row-mac.ts'

/** Replaces `row-mac.ts` in the writer thread, to measure the cost of the MACs: every MAC is the same sixteen bytes. */
const SAME = new Uint8Array(16)
const same = () => SAME
export const rowMacs = (): RowMacs => ({
  row: same,
  event: same,
  account: same,
  head: same,
  stream: same,
  once: () => ({ mac: SAME, term: 0n }),
  sealSum: () => ({ masked: SAME, mac: SAME }),
  openSum: () => 0n,
})
export { hasMac, isSameMac, TABLES_WITH_MACS }
