import { UserAnswer } from '../../kernel/contract/answers.ts'
import { PassphraseBody } from '../../kernel/contract/api.ts'
import { jsonResponse, problemResponse } from './problem.ts'
import { partOf } from './query.ts'
import { ADMINS, DECIDERS } from './access.ts'
import { route, routeWithBody, type Routes } from './route.ts'

/** The passphrase of an approver. */
export const passphraseRoutes: Routes = (app, gate) => {
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/passphrase',
      access: DECIDERS,
      summary: 'Set your passphrase for strong approvals (with `current`, if you already have one)',
      body: PassphraseBody,
      answers: UserAnswer,
    }),
    async (c) => {
      const { passphrase, current } = c.req.valid('json')
      const set = await gate.identity.setPassphrase(c.get('caller'), {
        passphrase,
        ...(current === undefined ? {} : { current }),
      })
      return set.ok ? jsonResponse(200, { user: c.get('caller').user }) : problemResponse(set.problem, c.get('trace'))
    },
  )
  app.openapi(
    route({
      method: 'delete',
      path: '/v1/passphrases/{user}',
      access: ADMINS,
      summary: 'Remove the passphrase of someone who has lost it; the body contains only your proof, if you have one',
      grants: true,
      answers: UserAnswer,
    }),
    async (c) => {
      const cleared = await gate.identity.clearPassphrase(c.get('caller'), partOf(c, 'user'), c.get('proof'))
      return cleared.ok
        ? jsonResponse(200, { user: partOf(c, 'user') })
        : problemResponse(cleared.problem, c.get('trace'))
    },
  )
}
