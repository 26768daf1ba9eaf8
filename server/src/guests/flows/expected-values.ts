import type { FlowStep } from './flows.ts'

/** What the result of a `value_match` step must contain: the values in backticks in its description, or the whole description. */
export function expectedValues({ verification }: Pick<FlowStep, 'verification'>): readonly string[] {
  const { description } = verification
  const values = [...description.matchAll(/`([^`]+)`/g)].flatMap(([, value]) => (value === undefined ? [] : [value]))
  return values.length > 0 ? values : [description]
}
