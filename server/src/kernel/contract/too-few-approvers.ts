import type { WhoIsAsked } from './routes.ts'

/** What to do if fewer people can approve a request than have to; undefined if enough can. */
export function tooFewApprovers({ able }: Pick<WhoIsAsked, 'able'>): string | undefined {
  if (able === undefined) return undefined
  const can = able === 0 ? 'nobody' : able === 1 ? 'only one person' : `only ${able} people`
  return `besides the requester, ${can} can approve here: create a key for another person with \`sluice keys create approver NAME\``
}
