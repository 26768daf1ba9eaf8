import { parentPort, workerData } from 'node:worker_threads'
import type { Dlp } from '../section.ts'
import { Bug } from '../../../kernel/contract/problems.ts'
import { runScanJob, type ScanJob } from '../scan-job.ts'
import { compileScanRules } from '../scan-rules.ts'

const compiled = compileScanRules(workerData as Dlp)
if (!compiled.ok) throw new Bug('rules that compiled in the main thread do not compile here')
const rules = compiled.value

parentPort?.on('message', (job: ScanJob) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the other side is a thread, not a window
  parentPort?.postMessage(runScanJob(job, rules))
})
