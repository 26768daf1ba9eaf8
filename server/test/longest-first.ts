import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files that take longest, the longest first. A fresh clone has no durations of earlier runs, and a long file that starts last
 * leaves the other workers with nothing to do.
 */
const LONGEST = [
  'stores/sqlite/ledger',
  'examples/examples',
  'crash/no-client-repeats',
  'published/attacks',
  'boot/command-mistakes',
  'crash/crash',
  'race/redemptions',
  'doors/evidence',
  'doors/doors',
  'doors/hostile-packets',
  'doors/hostile-listings',
  'doors/cases-through-doors',
  'stores/postgres/ledger',
  'postgres/two-nodes',
  'ops/operations-pages',
  'hub/cli',
  'audit/kept-checkpoint',
  'gate/acknowledged',
  'doors/command-line',
  'gate/in-doubt',
  'security/event-loop',
  'doors/policy-commands',
  'mcp/clients',
  'hub/killed',
  'crash/verify',
  'hub/people',
  'runs/run-commands',
  'gate/allocated',
  'postgres/nodes',
  'oauth/gate-logins',
  'console/inbox',
  'matrix/chat',
]

const placeOf = ({ moduleId }: TestSpecification): number => {
  const place = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))
  return place === -1 ? LONGEST.length : place
}

/** Vitest takes its order from a class. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    // Files of one project stay together.
    const projects = [...new Set(sorted.map(({ project }) => project.name))]
    return projects.flatMap((name) =>
      sorted.filter(({ project }) => project.name === name).toSorted((one, other) => placeOf(one) - placeOf(other)),
    )
  }
}
