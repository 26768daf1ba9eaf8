// Runs at `npm install`, with whatever Node there is. The launcher knows which ones can work; otherwise it says so and what to do.
import { spawnSync } from 'node:child_process'

const { status } = spawnSync(process.execPath, ['bin/sluice', '--version'], { stdio: ['ignore', 'ignore', 'inherit'] })
process.exitCode = status ?? 1
